import { expect, it } from "vitest";
import {
  emptyDocument,
  type WorkflowDocument,
  type WorkflowNode,
} from "../../api/workflowDocument";
import { spec } from "../../graph/testSpecs";
import { daysAgo, listAgentWorkflows, spendingByWorkflow } from "./agentWorkflows";

const node = (
  name: string,
  type: string,
  parameters: Record<string, unknown> = {},
): WorkflowNode => ({
  name,
  type,
  typeVersion: 1,
  position: [0, 0],
  parameters,
});

const kinds = (...list: string[]) => list.map((kind) => ({ kind }));
const SPECS = [
  spec("Agent", {
    id: "@n8n/n8n-nodes-langchain.agent",
    inputs: kinds("main", "ai_languageModel", "ai_tool"),
  }),
  spec("Chat Trigger", { id: "@n8n/n8n-nodes-langchain.chatTrigger", trigger: "chat" }),
];
const types = { find: (type: string) => SPECS.find((one) => one.id === type) };

it("finds workflows with agents, their models and tools", () => {
  const to = (kind: string) => ({ [kind]: [[{ node: "Agent", type: kind, index: 0 }]] });
  const workflow: WorkflowDocument = {
    ...emptyDocument("Support"),
    id: "w",
    active: true,
    nodes: [
      node("Agent", "@n8n/n8n-nodes-langchain.agent"),
      node("Model", "@n8n/n8n-nodes-langchain.lmChatOpenAi", {
        model: { mode: "list", value: "gpt-x" },
      }),
      node("Calc", "@n8n/n8n-nodes-langchain.toolCalculator"),
      node("Chat", "@n8n/n8n-nodes-langchain.chatTrigger"),
    ],
    connections: { Model: to("ai_languageModel"), Calc: to("ai_tool") },
  };
  const chat = workflow.nodes[3];
  expect(listAgentWorkflows([workflow, { ...emptyDocument("Plain"), id: "p" }], types)).toEqual([
    {
      id: "w",
      name: "Support",
      isActive: true,
      agents: ["Agent"],
      models: ["gpt-x"],
      nTools: 1,
      chat,
    },
  ]);
});

it("adds up what a workflow's models cost", () => {
  const row = {
    day: "2026-01-01",
    workflowId: "w",
    provider: "p",
    model: "m",
    calls: 1,
    inputTokens: 10,
    cachedTokens: 4,
    outputTokens: 5,
    dollars: 0.5,
  };
  expect(spendingByWorkflow([row, { ...row, model: "n" }]).get("w")).toEqual({
    calls: 2,
    tokens: 30,
    dollars: 1,
  });
});

it("names days as the server does", () => {
  expect(daysAgo(30, new Date("2026-03-01T12:00:00Z"))).toBe("2026-01-30");
});
