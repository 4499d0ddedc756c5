/** Which family a node belongs to, told by its type alone: for drawings that are shown before the catalogue is there. */

export type NodeFamily = "trigger" | "flow" | "data" | "ai" | "tool" | "service";

const FLOW = [
  "if",
  "switch",
  "filter",
  "merge",
  "splitInBatches",
  "wait",
  "noOp",
  "stopAndError",
  "executeWorkflow",
  "limit",
];
const SERVICE = [
  "httpRequest",
  "emailSend",
  "postgres",
  "mySql",
  "redis",
  "graphql",
  "rssFeedRead",
];
const TRIGGERS = ["webhook", "start", "cron", "interval", "emailReadImap"];

export function familyOf(type: string): NodeFamily {
  const name = type.slice(type.lastIndexOf(".") + 1);
  if (/trigger$/i.test(name) || TRIGGERS.includes(name)) return "trigger";
  if (/^tool[A-Z]|-tool$|^agentTool$/.test(name)) return "tool";
  if (type.startsWith("@n8n/n8n-nodes-langchain.") || !type.includes(".")) return "ai";
  if (FLOW.includes(name)) return "flow";
  if (SERVICE.includes(name)) return "service";
  return "data";
}
