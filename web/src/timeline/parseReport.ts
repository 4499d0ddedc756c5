// Reads the report of an agent from what the server tells, so that nothing behind it has to doubt its shape.

import type { AgentApproval, AnswerSource } from "../api/generated";
import type { AgentReport, Iteration } from "./agentReport";

/** Reads what the server tells, which leaves out what is not known yet. */
export function parseReport(told: unknown): AgentReport {
  const fields = isFields(told) ? told : {};
  const iterations = list(fields.iterations).map(parseIteration);
  let clock = numberOr(fields.startedMs, 0);
  for (const iteration of iterations) {
    // An answer without a record of its own, such as one taken from an earlier run, stands behind the one before it.
    if (iteration.startedMs === 0) iteration.startedMs = clock;
    clock =
      iteration.startedMs +
      iteration.durationMs +
      Math.max(
        0,
        ...iteration.toolCalls.map((call) => call.durationMs + (call.approval?.waitedMs ?? 0)),
      );
  }
  return {
    iterations,
    memory: list(fields.memory).map((use) => ({
      ...use,
      op: text(use.op),
      durationMs: numberOr(use.durationMs, 0),
    })),
    output: fields.output,
    sources: list(fields.sources).filter(isSource) as unknown as AnswerSource[],
    finishReason: text(fields.finishReason),
    errors: list(fields.errors).map((error) => ({
      code: text(error.code),
      message: text(error.message),
      iteration:
        typeof error.iteration === "number" && error.iteration > 0 ? error.iteration : null,
    })),
  };
}

function parseIteration(told: Record<string, unknown>, at: number): Iteration {
  const tokens = isFields(told.tokens) ? told.tokens : {};
  return {
    at,
    index: numberOr(told.index, at + 1),
    item: numberOr(told.item, 0),
    model: text(told.model),
    startedMs: numberOr(told.startedMs, 0),
    durationMs: numberOr(told.durationMs, 0),
    message: told.message === undefined || told.message === null ? null : text(told.message),
    toolCalls: list(told.toolCalls).map((call) => ({
      name: text(call.name),
      id: text(call.id),
      arguments: call.arguments,
      ...("result" in call ? { result: call.result } : {}),
      isError: call.isError === true,
      durationMs: numberOr(call.durationMs, 0),
      ...(isFields(call.approval) ? { approval: call.approval as unknown as AgentApproval } : {}),
    })),
    tokens: {
      input: numberOr(tokens.input, 0),
      cached: numberOr(tokens.cached, 0),
      output: numberOr(tokens.output, 0),
      reasoning: numberOr(tokens.reasoning, 0),
    },
    dollars: typeof told.dollars === "number" ? told.dollars : null,
    confidence: typeof told.confidence === "number" ? told.confidence : null,
    action: typeof told.action === "string" ? told.action : null,
  };
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}

function text(value: unknown): string {
  return typeof value === "string"
    ? value
    : value === undefined || value === null
      ? ""
      : JSON.stringify(value);
}

const SOURCE_TYPES = ["document", "memory", "tool", "mcp"];

function isSource(value: Record<string, unknown>): boolean {
  return SOURCE_TYPES.includes(String(value.type));
}
