// What the strict agent's tabs say: its tools and what is amiss with them, and what its faults mean. Pure.

import type { ConnectedToolNode } from "../api/generated";
import type { RunFailure } from "../run/runView";
import type { AgentReport } from "./agentReport";

export const STRICT_AGENT = "agent-core-react";

/** A connected tool, or a node whose tools cannot be told without a run. */
export interface StrictTool {
  node: string;
  /** The name under which a model calls it. */
  name: string;
  description: string;
  isAllowed: boolean;
  /** The names of its arguments; nothing if its schema names none. */
  arguments: string[];
  hasSchema: boolean;
  problem?: string;
}

/** The tools that the server found at an agent, each with what the agent's settings say of it. */
export function listTools(found: readonly ConnectedToolNode[], allowed: string): StrictTool[] {
  const names = allowedNames(allowed);
  const isAllowed = (name: string) => names.length === 0 || names.includes(name);
  return found.flatMap(({ node, tools, error }) =>
    error
      ? [
          {
            node,
            name: node,
            description: "",
            isAllowed: true,
            arguments: [],
            hasSchema: true,
            problem: String(error.message ?? ""),
          },
        ]
      : tools.map(({ name, description, parameters }) => ({
          node,
          name,
          description,
          isAllowed: isAllowed(name),
          arguments: argumentNames(parameters),
          hasSchema: isFields(parameters) && parameters.type !== undefined,
        })),
  );
}

/** Names that the agent may use by its settings although no connected tool has them. */
export function unknownToolNames(tools: readonly StrictTool[], allowed: string): string[] {
  return allowedNames(allowed).filter((name) => !tools.some((tool) => tool.name === name));
}

function allowedNames(allowed: string): string[] {
  if (allowed.startsWith("=")) return [];
  return allowed
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}

function argumentNames(schema: unknown): string[] {
  return isFields(schema) && isFields(schema.properties) ? Object.keys(schema.properties) : [];
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
