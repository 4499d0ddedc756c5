/** Node types and nodes for the tests of this folder. */

import type { WorkflowNode } from "../api/workflowDocument";
import type { TypeSpec } from "./typeSpec";

const main = { kind: "main" };
export const spec = (name: string, rest: Partial<TypeSpec> = {}): TypeSpec => ({
  id: `n8n-nodes-base.${name[0]?.toLowerCase()}${name.slice(1).replaceAll(" ", "")}`,
  versions: [1],
  name,
  summary: "",
  group: "data",
  inputs: [main],
  outputs: [main],
  params: [],
  ...rest,
});
export const SPECS = [
  spec("HTTP Request", { aliases: ["api", "curl", "fetch"], summary: "Call any web service" }),
  spec("Edit Fields", { id: "n8n-nodes-base.set", aliases: ["set"] }),
  spec("Code"),
  spec("Respond to Webhook"),
  spec("Webhook", { group: "trigger", inputs: [] }),
  spec("Cron", { group: "trigger", inputs: [] }),
  spec("Agent", { group: "ai", inputs: [main, { kind: "ai_tool" }] }),
  spec("Calculator", { group: "tool", inputs: [], outputs: [{ kind: "ai_tool" }] }),
];
export const types = { find: (type: string) => SPECS.find((one) => one.id === type) };
export const node = (
  name: string,
  type: string,
  parameters = {},
  position: [number, number] = [0, 0],
): WorkflowNode => ({
  id: `id-${name}`,
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion: 1,
  position,
  parameters,
});
