import { expect, test } from "vitest";
import { Catalogue } from "./catalogue";
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
  canBeTool: true,
};
const FIXED: NodeType = { ...TYPE, id: "toolCode", canBeTool: false, modelFills: [] };
const AGENT: NodeType = {
  ...FIXED,
  id: "agentTool",
  modelFills: ["text", "options.systemMessage"],
};

test("an ordinary node is found as a tool under the name with Tool at its end", () => {
  const catalogue = new Catalogue([TYPE, FIXED]);
  const tool = catalogue.find("n8n-nodes-base.httpRequestTool", 4.2);
  expect(tool?.outputs.map((port) => port.kind)).toEqual(["ai_tool"]);
  expect(tool?.inputs).toEqual([]);
  expect(tool?.params[0]?.name).toBe("toolDescription");
  expect(catalogue.find("n8n-nodes-base.httpRequestTool", 4.2)).toBe(tool);
  expect(catalogue.find("n8n-nodes-base.httpRequestTool", 9)).toBeUndefined();
  expect(catalogue.find("toolCodeTool")).toBeUndefined();
});

test("services are offered as tools", () => {
  const catalogue = new Catalogue([TYPE, { ...TYPE, id: "limit", group: "data" }, FIXED]);
  expect(catalogue.tools().map((type) => type.id)).toEqual(["n8n-nodes-base.httpRequestTool"]);
});

test("the model fills in what its node offers it, and never the description of a tool", () => {
  expect(canModelFill(TYPE, ["url"])).toBe(true);
  expect(canModelFill(TYPE, ["toolDescription"])).toBe(false);
  expect(canModelFill(FIXED, ["url"])).toBe(false);
  expect(canModelFill(AGENT, ["text"])).toBe(true);
  expect(canModelFill(AGENT, ["options", "systemMessage"])).toBe(true);
  expect(canModelFill(AGENT, ["options", "askBefore"])).toBe(false);
});
