// What one run of an agent did, as the server tells it, and the drawing of it: rows, bars and where they stand in time.

import type { AgentApproval, AgentIteration, AgentToolCall, AnswerSource } from "../api/generated";
import type { AnswerPart } from "../run/answer";

export interface AgentReport {
  iterations: Iteration[];
  memory: { op: string; durationMs: number; startedMs?: number; node?: string }[];
  output: unknown;
  /** What the answer is based on, as the agent recorded it. */
  sources: AnswerSource[];
  finishReason?: string | null;
  errors: { code: string; message: string; iteration?: number | null }[];
}

/** An iteration with nothing left open: whatever the server left out has its value. `index` counts from 1 within its `item`. */
export interface Iteration extends Omit<AgentIteration, "confidence" | "action" | "message"> {
  /** Its place in the report, from 0: what a bar and a chip lead to. */
  at: number;
  startedMs: number;
  durationMs: number;
  message?: string | null;
  toolCalls: ToolCall[];
  tokens: Required<AgentIteration["tokens"]>;
  dollars: number | null;
  confidence?: number | null;
  action?: string | null;
}

/** A call of a tool; `result` is missing while it still runs, `approval` where nobody had to be asked. */
export type ToolCall = AgentToolCall & Required<Pick<AgentToolCall, "isError" | "durationMs">>;

export type BarKind = "model" | "tool" | "memory" | "waiting";

export interface Bar {
  kind: BarKind;
  label: string;
  startMs: number;
  durationMs: number;
  isError: boolean;
  /** Which tool call of the iteration it is. */
  call?: number;
  /** Bars that run at the same time lie in lanes beneath each other. */
  lane: number;
}

export interface TimelineRow {
  id: string;
  label: string;
  iteration: Iteration | null;
  bars: Bar[];
  lanes: number;
}

export interface Timeline {
  rows: TimelineRow[];
  startMs: number;
  totalMs: number;
}

/** A pause that is shorter than this is the machine's own and is not drawn as waiting. */
const MIN_WAIT_MS = 30;

export function buildTimeline(report: AgentReport): Timeline {
  const rows: TimelineRow[] = [];
  const first = report.iterations[0];
  const reads = report.memory.filter((use) => isRead(use.op));
  const writes = report.memory.filter((use) => !isRead(use.op));
  const readMs = sum(reads.map((use) => use.durationMs));
  const begin = first ? first.startedMs - readMs : 0;
  if (reads.length > 0) rows.push(memoryRow("memory-read", "Memory read", reads, begin));
  let end = begin + readMs;
  const severalItems = report.iterations.some((iteration) => iteration.item > 0);
  for (const [at, iteration] of report.iterations.entries()) {
    const row = iterationRow(iteration, at === 0 ? null : end, severalItems);
    rows.push(row);
    end = Math.max(end, ...row.bars.map((bar) => bar.startMs + bar.durationMs));
  }
  if (writes.length > 0) {
    rows.push(memoryRow("memory-write", "Memory written", writes, end));
    end += sum(writes.map((use) => use.durationMs));
  }
  return { rows, startMs: begin, totalMs: Math.max(1, end - begin) };
}

function iterationRow(
  iteration: Iteration,
  before: number | null,
  severalItems: boolean,
): TimelineRow {
  const bars: Bar[] = [];
  const gap = before === null ? 0 : iteration.startedMs - before;
  if (before !== null && gap >= MIN_WAIT_MS) {
    bars.push({
      kind: "waiting",
      label: "Waiting",
      startMs: before,
      durationMs: gap,
      isError: false,
      lane: 0,
    });
  }
  const { startedMs, durationMs } = iteration;
  bars.push({
    kind: "model",
    label: iteration.model || "Model",
    startMs: startedMs,
    durationMs,
    isError: false,
    lane: 0,
  });
  // Calls of one turn are made at the same time, each from the moment the model has answered.
  for (const [call, tool] of iteration.toolCalls.entries()) {
    const asked = startedMs + durationMs;
    const waitedMs = approvalWait(tool.approval);
    if (waitedMs > 0) {
      bars.push({
        kind: "waiting",
        label: "Approval",
        startMs: asked,
        durationMs: waitedMs,
        isError: false,
        lane: call,
      });
    }
    const bar = {
      label: tool.name,
      startMs: asked + waitedMs,
      durationMs: tool.durationMs,
      isError: tool.isError,
    };
    bars.push({ kind: "tool", ...bar, call, lane: call });
  }
  const label = severalItems
    ? `Item ${iteration.item} · ${iteration.index}`
    : `Iteration ${iteration.index}`;
  return {
    id: `iteration-${iteration.at}`,
    label,
    iteration,
    bars,
    lanes: Math.max(1, iteration.toolCalls.length),
  };
}

/** How long a call waited for a person; one that still waits has no length yet. */
function approvalWait(approval: AgentApproval | undefined): number {
  return approval?.waitedMs ?? 0;
}

function memoryRow(
  id: string,
  label: string,
  uses: AgentReport["memory"],
  begin: number,
): TimelineRow {
  let at = begin;
  const bars = uses.map((use): Bar => {
    const bar: Bar = {
      kind: "memory",
      label: use.op,
      startMs: at,
      durationMs: use.durationMs,
      isError: false,
      lane: 0,
    };
    at += use.durationMs;
    return bar;
  });
  return { id, label, iteration: null, bars, lanes: 1 };
}

function isRead(op: string): boolean {
  return /load|read|recall|get|search/i.test(op);
}

/** What an agent said and did, in order, as a conversation shows it. */
export function reportParts(report: AgentReport): AnswerPart[] {
  return report.iterations.flatMap(({ message, toolCalls }) => {
    const said: AnswerPart[] = message ? [{ kind: "text", text: message }] : [];
    const did = toolCalls.map((call): AnswerPart => ({ kind: "tool", isRunning: false, ...call }));
    return [...said, ...did];
  });
}

export interface Totals {
  iterations: number;
  toolCalls: number;
  failedCalls: number;
  input: number;
  cached: number;
  output: number;
  reasoning: number;
  /** `null` where no price is known for any of the models. */
  dollars: number | null;
}

export function sumTotals(report: AgentReport): Totals {
  const calls = report.iterations.flatMap((iteration) => iteration.toolCalls);
  const tokens = (kind: keyof Iteration["tokens"]) =>
    sum(report.iterations.map((iteration) => iteration.tokens[kind] ?? 0));
  const priced = report.iterations
    .map((iteration) => iteration.dollars)
    .filter((dollars) => dollars !== null && dollars !== undefined);
  return {
    iterations: report.iterations.length,
    toolCalls: calls.length,
    failedCalls: calls.filter((call) => call.isError).length,
    input: tokens("input"),
    cached: tokens("cached"),
    output: tokens("output"),
    reasoning: tokens("reasoning"),
    dollars: priced.length > 0 ? sum(priced) : null,
  };
}

/** The confidence of each iteration that told one, for the sparkline. */
export function listConfidences(report: AgentReport): { iteration: number; value: number }[] {
  return report.iterations.flatMap(({ index, confidence }) =>
    typeof confidence === "number" ? [{ iteration: index, value: confidence }] : [],
  );
}

/** A path through points for a sparkline of this size; values go from 0 to 1. */
export function sparklinePath(values: readonly number[], width: number, height: number): string {
  if (values.length === 0) return "";
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const points = values.map(
    (value, at) => [at * step, height - Math.min(1, Math.max(0, value)) * height] as const,
  );
  if (points.length === 1) points.push([width, points[0]?.[1] ?? 0]);
  return points.map(([x, y], at) => `${at === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join(" ");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
