import { expect, it } from "vitest";
import { emptyView, type NodeRun, newRun, type RunView } from "../run/view";
import { agentsIn, modelRun, versionOf } from "./useAgent";

function view(nodes: Record<string, NodeRun[]>): RunView {
  return { ...emptyView("1"), nodes: new Map(Object.entries(nodes)) };
}

const step = (order: number, more: Partial<NodeRun> = {}): NodeRun => ({ ...newRun(0, order * 10), order, ...more });
const model = (order: number, runIndex: number): NodeRun =>
  step(order, { runIndex, status: "success", served: { kind: "ai_languageModel", above: "Agent" } });

it("knows an agent by the model that served it, or by the steps it notes before one has", () => {
  expect(agentsIn(view({ Set: [step(0)], Agent: [step(2)], Model: [model(3, 0)], Early: [step(1, { notes: 1 })] }))).toEqual([
    "Early",
    "Agent",
  ]);
});

it("finds the call of the model behind an iteration, also in a later run of the agent", () => {
  const told = view({ Agent: [step(0), step(5, { runIndex: 1 })], Model: [model(1, 0), model(2, 1), model(6, 2)] });
  expect(modelRun(told, "Agent", 0, 1)).toEqual({ node: "Model", run: 1 });
  expect(modelRun(told, "Agent", 1, 0)).toEqual({ node: "Model", run: 2 });
  expect(modelRun(told, "Agent", 1, 1)).toBeNull();
});

it("asks for the report again when the agent has done more", () => {
  const before = versionOf(view({ Agent: [step(0, { notes: 1 })] }), "Agent", 0);
  expect(versionOf(view({ Agent: [step(0, { notes: 2 })] }), "Agent", 0)).not.toBe(before);
});
