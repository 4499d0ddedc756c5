import { expect, it } from "vitest";
import { createRun, emptyView, type NodeRunView, type RunView } from "../run/runView";
import { agentRunVersion, findModelRun, listAgents } from "./useAgentReport";

function view(nodes: Record<string, NodeRunView[]>): RunView {
  return { ...emptyView("1"), nodes: new Map(Object.entries(nodes)) };
}

const step = (order: number, more: Partial<NodeRunView> = {}): NodeRunView => ({
  ...createRun(0, order * 10),
  order,
  ...more,
});
const model = (order: number, runIndex: number): NodeRunView =>
  step(order, {
    runIndex,
    status: "success",
    served: { kind: "ai_languageModel", above: "Agent" },
  });

it("knows an agent by the model that served it, or by the steps it notes before one has", () => {
  expect(
    listAgents(
      view({
        Set: [step(0)],
        Agent: [step(2)],
        Model: [model(3, 0)],
        Early: [step(1, { notes: 1 })],
      }),
    ),
  ).toEqual(["Early", "Agent"]);
});

it("finds the call of the model behind an iteration, also in a later run of the agent", () => {
  const told = view({
    Agent: [step(0), step(5, { runIndex: 1 })],
    Model: [model(1, 0), model(2, 1), model(6, 2)],
  });
  expect(findModelRun(told, "Agent", 0, 1)).toEqual({ node: "Model", run: 1 });
  expect(findModelRun(told, "Agent", 1, 0)).toEqual({ node: "Model", run: 2 });
  expect(findModelRun(told, "Agent", 1, 1)).toBeNull();
});

it("asks for the report again when the agent has done more", () => {
  const before = agentRunVersion(view({ Agent: [step(0, { notes: 1 })] }), "Agent", 0);
  expect(agentRunVersion(view({ Agent: [step(0, { notes: 2 })] }), "Agent", 0)).not.toBe(before);
});
