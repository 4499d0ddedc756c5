import { expect, it } from "vitest";
import { carryOverResults, mergeStoredRun } from "./mergeRunViews";
import { createRun, emptyView, type RunView } from "./runView";

function view(nodes: RunView["nodes"]): RunView {
  return { ...emptyView("1"), status: "success", nodes };
}

it("carries good results over as reused and leaves failures behind", () => {
  const last = view(
    new Map([
      ["A", [{ ...createRun(0, 1), status: "success" as const }]],
      ["B", [{ ...createRun(0, 1), status: "error" as const }]],
    ]),
  );
  const next = carryOverResults(last);
  expect(next?.nodes.get("A")?.[0]?.status).toBe("reused");
  expect(next?.nodes.has("B")).toBe(false);
  expect(next?.status).toBe("running");
  expect(carryOverResults(null)).toBeNull();
});

it("keeps what only the live stream told when the record arrives", () => {
  const live = view(new Map([["A", [{ ...createRun(0, 1), lines: ["hello"], retries: 2 }]]]));
  const stored = view(
    new Map([
      [
        "A",
        [
          {
            ...createRun(0, 1),
            status: "success" as const,
            source: [{ node: "T", output: 0, run: 0 }],
          },
        ],
      ],
    ]),
  );
  expect(mergeStoredRun(live, stored).nodes.get("A")?.[0]).toMatchObject({
    status: "success",
    lines: ["hello"],
    retries: 2,
    source: [{ node: "T" }],
  });
});
