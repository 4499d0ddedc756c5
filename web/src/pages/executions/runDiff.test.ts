import { describe, expect, it } from "vitest";
import { createRun, emptyView, type NodeRunView, type RunView } from "../../run/runView";
import { compareRuns } from "./runDiff";

describe("two runs side by side", () => {
  const step = (order: number, more: Partial<NodeRunView> = {}): NodeRunView => ({
    ...createRun(0, order),
    status: "success",
    order,
    ...more,
  });
  const view = (nodes: Record<string, NodeRunView[]>): RunView => ({
    ...emptyView("1"),
    nodes: new Map(Object.entries(nodes)),
  });

  it("pairs steps by node and turn, and says which are only in one", () => {
    const steps = compareRuns(
      view({ A: [step(0)], B: [step(1)] }),
      view({ A: [step(0)], C: [step(1)] }),
    );
    expect(steps.map((one) => [one.node, one.verdict])).toEqual([
      ["A", "same"],
      ["B", "only-a"],
      ["C", "only-b"],
    ]);
  });

  it("finds another status or another number of items", () => {
    const items = (n: number) => ({ outputs: [{ kind: "main", index: 0, items: n }] });
    const [failed] = compareRuns(
      view({ A: [step(0)] }),
      view({ A: [step(0, { status: "error" })] }),
    );
    expect(failed?.verdict).toBe("changed");
    const [fewer] = compareRuns(view({ A: [step(0, items(2))] }), view({ A: [step(0, items(1))] }));
    expect(fewer?.verdict).toBe("changed");
    const [reused] = compareRuns(
      view({ A: [step(0, items(2))] }),
      view({ A: [step(0, { status: "reused", ...items(2) })] }),
    );
    expect(reused?.verdict).toBe("same");
  });
});
