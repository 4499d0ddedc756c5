import { describe, expect, it } from "vitest";
import { createRun, emptyView, type NodeRunView, type RunView } from "../run/runView";
import { logTree, visibleSteps } from "./logTree";

function step(order: number, more: Partial<NodeRunView> = {}): NodeRunView {
  return { ...createRun(0, 100 + order), status: "success", order, ...more };
}

function view(nodes: Record<string, NodeRunView[]>): RunView {
  return { ...emptyView("1"), nodes: new Map(Object.entries(nodes)) };
}

describe("the log of a run", () => {
  it("lists steps as they happened and not by name", () => {
    expect(logTree(view({ B: [step(1)], A: [step(0)] })).map((step) => step.node)).toEqual([
      "A",
      "B",
    ]);
  });

  it("hangs models and tools under the agent, and what a tool used under the tool", () => {
    const served = (above: string) => ({ served: { kind: "ai_tool", above } });
    const roots = logTree(
      view({
        Agent: [step(0)],
        Tool: [step(1, served("Agent"))],
        Inner: [step(2, served("Tool"))],
      }),
    );
    expect(roots.map((root) => root.node)).toEqual(["Agent"]);
    expect(visibleSteps(roots, new Set()).map((step) => [step.node, step.depth])).toEqual([
      ["Agent", 0],
      ["Tool", 1],
      ["Inner", 2],
    ]);
    expect(visibleSteps(roots, new Set([roots[0]?.key ?? ""]))).toHaveLength(1);
  });

  it("gives each run of an agent its own calls", () => {
    const model = (order: number, runIndex: number) =>
      step(order, { runIndex, served: { kind: "ai_languageModel", above: "Agent" } });
    const roots = logTree(
      view({ Agent: [step(0), step(2, { runIndex: 1 })], Model: [model(1, 0), model(3, 1)] }),
    );
    expect(roots.map((root) => root.children.map((child) => child.run.runIndex))).toEqual([
      [0],
      [1],
    ]);
  });

  it("is made for a loop of ten thousand turns", () => {
    const source = (run: number) => [{ node: "Loop", output: 0, run }];
    const runs = Array.from({ length: 10_000 }, (_, run) => step(run * 2, { runIndex: run }));
    const fed = Array.from({ length: 10_000 }, (_, run) =>
      step(run * 2 + 1, { runIndex: run, source: source(run) }),
    );
    expect(logTree(view({ Loop: runs, Set: fed }))).toHaveLength(20_000);
  });

  it("counts what came in by what the nodes before gave", () => {
    const outputs = [
      { kind: "main", index: 0, items: 3 },
      { kind: "main", index: 1, items: 4 },
    ];
    const roots = logTree(
      view({
        If: [step(0, { outputs })],
        Set: [step(1, { source: [{ node: "If", output: 1, run: 0 }] })],
      }),
    );
    expect(roots.map((root) => [root.itemsIn, root.itemsOut])).toEqual([
      [null, 7],
      [4, 0],
    ]);
  });
});
