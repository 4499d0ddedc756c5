// What the strict agent's tabs say: its tools and what is amiss with them, and what its faults mean. Pure.

import type { WorkflowDocument, WorkflowNode } from "../api/workflowDocument";
import { edgesOf, findNode } from "../graph/document";
import type { RunFailure } from "../run/runView";
import type { AgentReport } from "./agentReport";

export const STRICT_AGENT = "agent-core-react";

export interface StrictTool {
  node: string;
  /** The name under which a model calls it. */
  name: string;
  type: string;
  isAllowed: boolean;
  /** Where the shape of its arguments comes from; `none` is worth a warning. */
  schema: "declared" | "own" | "asked" | "none";
}

/** The tools connected to an agent, each with where its schema comes from. */
export function listTools(document: WorkflowDocument, agent: string): StrictTool[] {
  const allowed = allowedNames(findNode(document, agent));
  return edgesOf(document)
    .filter((edge) => edge.kind === "ai_tool" && edge.to === agent)
    .flatMap((edge) => findNode(document, edge.from) ?? [])
    .filter((node) => !node.disabled)
    .map((node) => {
      const name = toolName(node);
      const isAllowed =
        allowed.length === 0 || allowed.includes(name) || allowed.includes(node.name);
      return { node: node.name, name, type: node.type, isAllowed, schema: schemaOf(node) };
    });
}

/** Names that the agent may use by its settings although nothing of that name is connected. */
export function unknownToolNames(document: WorkflowDocument, agent: string): string[] {
  const tools = listTools(document, agent);
  return allowedNames(findNode(document, agent)).filter(
    (name) => !tools.some((tool) => tool.name === name || tool.node === name),
  );
}

function allowedNames(node: WorkflowNode | undefined): string[] {
  const given = node?.parameters.allowedTools;
  if (typeof given !== "string" || given.startsWith("=")) return [];
  return given
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}

/** A tool is called by its own name where it has one, otherwise by its node's, in letters that models take. */
function toolName(node: WorkflowNode): string {
  const { name, toolName: given } = node.parameters;
  const own = [given, name].find(
    (text) => typeof text === "string" && text !== "" && !text.startsWith("="),
  );
  return String(own ?? node.name).replace(/[^A-Za-z0-9_-]+/g, "_");
}

/** Tools whose node knows the shape of its arguments by itself. */
const SELF_DESCRIBED =
  /calculator|wikipedia|think|mcpClient|searXng|serpApi|wolfram|vectorStore|agentTool|knowledge/i;

function schemaOf(node: WorkflowNode): StrictTool["schema"] {
  const { specifyInputSchema, workflowInputs } = node.parameters;
  if (specifyInputSchema === true) return "declared";
  if (typeof workflowInputs === "object" && workflowInputs !== null) return "declared";
  if (JSON.stringify(node.parameters).includes("$fromAI")) return "asked";
  return SELF_DESCRIBED.test(node.type) ? "own" : "none";
}

export interface StrictFault {
  kind: string;
  title: string;
  message: string;
  hint: string;
  iteration: number | null;
  code: string;
}

const FAULTS: Record<string, { title: string; hint: string }> = {
  invalid_json: {
    title: "Invalid JSON",
    hint: "The reply was not a single JSON object. Use a model with reliable structured output or a JSON mode.",
  },
  invalid_action: {
    title: "Invalid action",
    hint: "The action must be `tool` or `final`. Try a stronger model.",
  },
  tool_not_allowed: {
    title: "Tool not allowed",
    hint: "The model called a tool that is not connected or not allowed. Connect it, allow it, or name the tools in the input.",
  },
  invalid_input: {
    title: "Invalid tool input",
    hint: "The arguments do not match the tool's schema. Improve the field descriptions in the schema.",
  },
  invalid_confidence: {
    title: "Invalid confidence",
    hint: "Confidence must be a number from 0 to 1.",
  },
  iteration_overflow: {
    title: "Iteration limit reached",
    hint: "The agent gave no final answer in time. Raise the iteration limit or simplify the task.",
  },
};

/** The faults of a run: those its report tells, and the one that the node failed with. */
export function listFaults(
  report: AgentReport | undefined,
  error: RunFailure | undefined,
): StrictFault[] {
  const faults: StrictFault[] = [];
  const add = (kind: string, message: string, iteration: number | null, code: string) => {
    const known = FAULTS[kind];
    const isThere = faults.some(
      (fault) =>
        fault.message === message || (fault.kind === kind && fault.iteration === iteration),
    );
    if (!isThere)
      faults.push({
        kind,
        title: known?.title ?? "Error",
        message,
        hint: known?.hint ?? "",
        iteration,
        code,
      });
  };
  if (error) add(kindOf(error), error.message, iterationOf(error.message), error.code);
  for (const told of report?.errors ?? [])
    add(kindOf(told), told.message, told.iteration ?? iterationOf(told.message), told.code);
  return faults;
}

function kindOf(error: { code: string; message: string; reason?: unknown }): string {
  if (typeof error.reason === "string") return error.reason;
  const words = `${error.code} ${error.message}`.toLowerCase();
  return Object.keys(FAULTS).find((kind) => words.includes(kind)) ?? "other";
}

function iterationOf(message: string): number | null {
  const found = /^Iteration (\d+)/.exec(message);
  return found ? Number(found[1]) : null;
}
