import { expect, it } from "vitest";
import { carryOver, settle } from "./carry";
import { startOf } from "./copy";
import { emptyView, newRun, type RunView } from "./view";

function view(nodes: RunView["nodes"]): RunView {
  return { ...emptyView("1"), status: "success", nodes };
}

it("carries good results over as reused and leaves failures behind", () => {
  const last = view(
    new Map([
      ["A", [{ ...newRun(0, 1), status: "success" as const }]],
      ["B", [{ ...newRun(0, 1), status: "error" as const }]],
    ]),
  );
  const next = carryOver(last);
  expect(next?.nodes.get("A")?.[0]?.status).toBe("reused");
  expect(next?.nodes.has("B")).toBe(false);
  expect(next?.status).toBe("running");
  expect(carryOver(null)).toBeNull();
});

it("keeps what only the live stream told when the record arrives", () => {
  const live = view(new Map([["A", [{ ...newRun(0, 1), lines: ["hello"], retries: 2 }]]]));
  const stored = view(
    new Map([["A", [{ ...newRun(0, 1), status: "success" as const, source: [{ node: "T", output: 0, run: 0 }] }]]]),
  );
  expect(settle(live, stored).nodes.get("A")?.[0]).toMatchObject({
    status: "success",
    lines: ["hello"],
    retries: 2,
    source: [{ node: "T" }],
  });
});

it("finds the node that a run began with", () => {
  const outputs = [{ kind: "main", index: 0, items: 1 }];
  const told = view(
    new Map([
      ["Set", [{ ...newRun(0, 1), order: 1, outputs, source: [{ node: "Webhook", output: 0, run: 0 }] }]],
      ["Webhook", [{ ...newRun(0, 1), order: 0, outputs }]],
    ]),
  );
  expect(startOf(told)).toEqual({ node: "Webhook", output: 0 });
  expect(startOf(view(new Map()))).toBeNull();
});
