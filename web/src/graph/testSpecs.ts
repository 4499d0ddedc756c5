/** Node types and nodes for the tests of this folder. */

import type { WorkflowNode } from "../api/workflowDocument";
import type { TypeSpec } from "./typeSpec";

const main = { kind: "main" };
const typeId = (name: string) => {
  const [first = "", ...rest] = name.split(" ");
  return `n8n-nodes-base.${first.toLowerCase()}${rest.join("")}`;
};
export const spec = (name: string, rest: Partial<TypeSpec> = {}): TypeSpec => ({
  id: typeId(name),
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
  spec("HTTP Request", {
    aliases: ["api", "curl", "fetch"],
    summary: "Call any web service",
    subtitle: ["{method?GET} {url:url}"],
  }),
  spec("Edit Fields", {
    id: "n8n-nodes-base.set",
    aliases: ["set"],
    subtitle: ["{mode=raw}JSON", "{assignments.assignments:names}"],
  }),
  spec("Code"),
  spec("Respond to Webhook"),
  spec("If", { subtitle: ["{conditions.conditions:conditions}"] }),
  spec("Schedule Trigger", {
    id: "n8n-nodes-base.scheduleTrigger",
    group: "trigger",
    subtitle: ["{rule.interval:schedule}"],
  }),
  spec("Wait", {
    subtitle: ["{resume?timeInterval=timeInterval}{amount} {unit?seconds:plural amount}"],
  }),
  spec("Webhook", {
    group: "trigger",
    inputs: [],
    trigger: "webhook",
    initial: [{ output: null, params: { path: "{id}", options: {} } }],
    subtitle: ["{httpMethod?GET:list} /{path:name}", "{httpMethod?GET:list}"],
  }),
  spec("Cron", { group: "trigger", inputs: [], standing: "legacy" }),
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
