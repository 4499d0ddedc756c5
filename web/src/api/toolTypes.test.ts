import { expect, test } from "vitest";
import type { NodeType } from "./spec";
import { canModelFill } from "./toolTypes";

const TYPE: NodeType = {
  id: "n8n-nodes-base.httpRequest",
  versions: [4, 4.2],
  name: "HTTP Request",
  summary: "",
  group: "integration",
  icon: "globe",
  subtitle: [],
  trigger: null,
  resumedBy: [],
  initial: [],
  inputs: [{ kind: "main", label: "", required: true, maxConnections: null, show: [] }],
  outputs: [{ kind: "main", label: "", required: false, maxConnections: null, show: [] }],
  params: [],
  credentials: [],
  builderHint: "",
  examples: [],
  aliases: [],
  differs: [],
  notes: [],
  inputRules: [],
  outputRules: [],
  asTool: { id: "n8n-nodes-base.httpRequestTool", name: "HTTP Request", outputs: [], params: [] },
};
const TOOL: NodeType = { ...TYPE, asTool: undefined, toolParams: ["toolDescription"] };
const FIXED: NodeType = { ...TYPE, id: "toolCode", asTool: undefined, modelFills: [] };
const AGENT: NodeType = {
  ...FIXED,
  id: "agentTool",
  modelFills: ["text", "options.systemMessage"],
};

test("the model fills in what its node offers it, and never the description of a tool", () => {
  expect(canModelFill(TYPE, ["url"])).toBe(true);
  expect(canModelFill(TOOL, ["url"])).toBe(true);
  expect(canModelFill(TOOL, ["toolDescription"])).toBe(false);
  expect(canModelFill(FIXED, ["url"])).toBe(false);
  expect(canModelFill(AGENT, ["text"])).toBe(true);
  expect(canModelFill(AGENT, ["options", "systemMessage"])).toBe(true);
  expect(canModelFill(AGENT, ["options", "askBefore"])).toBe(false);
});
