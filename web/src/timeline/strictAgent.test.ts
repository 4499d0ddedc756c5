import { expect, it } from "vitest";
import { emptyDocument, type WorkflowDocument, type WorkflowNode } from "../api/workflowDocument";
import { listFaults, listTools, unknownToolNames } from "./strictAgent";

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

function document(allowedTools: string, ...tools: WorkflowNode[]): WorkflowDocument {
  const to = [[{ node: "Agent", type: "ai_tool", index: 0 }]];
  return {
    ...emptyDocument(),
    nodes: [node("Agent", "agent-core-react", { allowedTools }), ...tools],
    connections: Object.fromEntries(tools.map((tool) => [tool.name, { ai_tool: to }])),
  };
}

it("lists the connected tools and warns of one without a schema", () => {
  const tools = listTools(
    document(
      "",
      node("Calculator", "@n8n/n8n-nodes-langchain.toolCalculator"),
      node("My code", "@n8n/n8n-nodes-langchain.toolCode", { name: "my_code" }),
      node("Typed", "@n8n/n8n-nodes-langchain.toolCode", { specifyInputSchema: true }),
      node("Fetch", "n8n-nodes-base.httpRequestTool", { url: "={{ $fromAI('url') }}" }),
    ),
    "Agent",
  );
  expect(tools.map((tool) => [tool.name, tool.schema])).toEqual([
    ["Calculator", "own"],
    ["my_code", "none"],
    ["Typed", "declared"],
    ["Fetch", "asked"],
  ]);
});

it("knows which tools are allowed, and which allowed ones are not there", () => {
  const told = document(
    "Calculator, weather",
    node("Calculator", "toolCalculator"),
    node("Other", "toolThink"),
  );
  expect(listTools(told, "Agent").map((tool) => tool.isAllowed)).toEqual([true, false]);
  expect(unknownToolNames(told, "Agent")).toEqual(["weather"]);
});

it("leaves out tools that are switched off, and connections to other agents", () => {
  const off = { ...node("Off", "toolThink"), disabled: true };
  expect(listTools(document("", off), "Agent")).toEqual([]);
  expect(listTools(document("", node("A", "toolThink")), "Other")).toEqual([]);
});

it("says once what went wrong, and what to do about it", () => {
  const error = {
    code: "AGENT_REPLY",
    message: "Iteration 2: the reply is no JSON",
    reason: "invalid_json",
  };
  const report = {
    iterations: [],
    memory: [],
    output: null,
    errors: [{ code: "AGENT_REPLY", message: error.message, iteration: 2 }],
  };
  const faults = listFaults(report, error);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatchObject({ title: "Invalid JSON", iteration: 2 });
  expect(faults[0]?.hint).not.toBe("");
  expect(listFaults(undefined, undefined)).toEqual([]);
});
