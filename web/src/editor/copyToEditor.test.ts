import { expect, it } from "vitest";
import { createRun, emptyView, type RunView } from "../run/runView";
import { findStart } from "./copyToEditor";

function view(nodes: RunView["nodes"]): RunView {
  return { ...emptyView("1"), status: "success", nodes };
}

it("finds the node that a run began with", () => {
  const outputs = [{ kind: "main", index: 0, items: 1 }];
  const told = view(
    new Map([
      [
        "Set",
        [
          {
            ...createRun(0, 1),
            order: 1,
            outputs,
            source: [{ node: "Webhook", output: 0, run: 0 }],
          },
        ],
      ],
      ["Webhook", [{ ...createRun(0, 1), order: 0, outputs }]],
    ]),
  );
  expect(findStart(told)).toEqual({ node: "Webhook", output: 0 });
  expect(findStart(view(new Map()))).toBeNull();
});
