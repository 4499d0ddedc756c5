// One run as the editor sees it, whether it comes from a stored outline (`outline.ts`) or event by event from the live stream
// (`runReducer.ts`). Pure data; nothing here asks the server.

import type { LiveEvent, ModelUse, RunError as ToldError } from "../api/generated";
import type { Edge } from "../api/workflowDocument";
import type { Answer } from "./answer";
import type { ApprovalRequest } from "./approval";

export type RunStatus =
  | "listening"
  | "running"
  | "success"
  | "error"
  | "waiting"
  | "canceled"
  | "uncertain";
/** A step is uncertain when it was cut off by a crash and may have happened. */
export type StepStatus =
  | "running"
  | "success"
  | "error"
  | "waiting"
  | "canceled"
  | "reused"
  | "uncertain";

/** An error of a node or of a run, in the one shape that every face of Heddle shows. */
export interface RunFailure extends ToldError {
  code: string;
}

/** How many items left a node at one of its outputs. */
export interface OutputCount {
  kind: string;
  index: number;
  items: number;
  bytes?: number;
}

/** Which node's output fed an input of this one; `null` where nothing did. */
export interface StepSource {
  node: string;
  output: number;
  run: number;
}

/** Whom a node served: along which kind of connection, which node, and which of its runs where the record says so. */
export interface SubNodeCall {
  kind: string;
  above: string;
  run?: number;
}

/** One execution of one node. A loop gives a node several of them. */
export interface NodeRunView {
  runIndex: number;
  status: StepStatus;
  startedMs: number;
  durationMs: number;
  outputs: OutputCount[];
  source: (StepSource | null)[];
  /** The place of this step among all steps of the run, so that a list can show them as they happened. */
  order: number;
  error?: RunFailure;
  /** How often it was tried again. */
  retries: number;
  hints: string[];
  /** Lines the node logged, such as `console.log` in a Code node. */
  lines: string[];
  /** How many steps of its own it has noted so far; an agent's timeline is read again when this grows. */
  notes: number;
  /** Set where the node served another one: a model that answered, a memory that was read, a tool that was called. */
  served?: SubNodeCall;
}

/** What one model cost in this run; without a price while nobody has told one. */
export type ModelSpending = Omit<ModelUse, "dollars"> & { dollars: number | null };

/** The address at which a run waits for its first call. */
export interface TestAddress {
  method: string;
  url: string;
  /** A form is opened in a browser. */
  kind?: string;
  node?: string;
  expiresAt?: string;
}

export interface RunView {
  /** Empty while the run only listens for a call that would start it. */
  executionId: string;
  workflowId: string;
  status: RunStatus;
  mode: string;
  startedAt: number;
  finishedAt: number | null;
  nodes: ReadonlyMap<string, NodeRunView[]>;
  /** What agents say word by word while they run, by node name. */
  answers: ReadonlyMap<string, Answer>;
  spent: readonly ModelSpending[];
  /** What agents asked before they used a tool, decided or not. */
  approvals: readonly ApprovalRequest[];
  error?: RunFailure;
  /** What a sleeping run waits for; `asks` if it is a person's approval. */
  waiting?: { node: string; untilMs: number | null; execution: string | null; asks?: boolean };
  listening?: TestAddress[];
  source: "live" | "stored";
  /** How many events its journal had, if it was read from there: what a decision is about. */
  events?: number;
  /** How many steps have begun; the next one gets this number. */
  steps: number;
}

/** The data of an event by its name. An older server may leave fields out; data that is no object is in `value`. */
export type EventData<T extends LiveEvent["type"]> = Extract<
  LiveEvent,
  { type: T }
>["data"] extends infer D
  ? D extends object
    ? Partial<D>
    : { value: D }
  : never;

/** An event of the stream: its name and its data. */
export type RunEvent = {
  [T in LiveEvent["type"]]: { type: T; data: EventData<T> };
}[LiveEvent["type"]];

export function emptyView(executionId: string, workflowId = "", startedAt = Date.now()): RunView {
  return {
    executionId,
    workflowId,
    status: "running",
    mode: "manual",
    startedAt,
    finishedAt: null,
    nodes: new Map(),
    answers: new Map(),
    spent: [],
    approvals: [],
    source: "live",
    steps: 0,
  };
}

/** A run that has not begun: its trigger waits for a call at these addresses. */
export function listeningView(
  workflowId: string,
  listening: TestAddress[],
  startedAt = Date.now(),
): RunView {
  return { ...emptyView("", workflowId, startedAt), status: "listening", listening };
}

export function isOver(view: RunView): boolean {
  return view.status !== "running" && view.status !== "waiting" && view.status !== "listening";
}

/** The newest execution of a node, which is the one that a card on the canvas shows. */
export function lastRun(view: RunView | null, node: string): NodeRunView | undefined {
  return view?.nodes.get(node)?.at(-1);
}

/** How many items went along a connection in the run, or how often a sub-node was called; `null` if nothing did. */
export function itemsCarried(run: RunView | null, edge: Edge): number | null {
  const runs = run?.nodes.get(edge.from);
  if (!runs || runs.length === 0) return null;
  let sum: number | null = null;
  for (const one of runs) {
    // A node that waits holds what it has; it goes on when it is woken.
    if (one.status === "waiting") continue;
    if (one.served && one.served.above !== edge.to && one.served.above !== "") continue;
    for (const output of one.outputs) {
      if (output.kind !== edge.kind || output.index !== edge.output) continue;
      sum = (sum ?? 0) + output.items;
    }
  }
  return sum === 0 ? null : sum;
}

/** Why a run is quarantined, if it is: it was running each time the process died. */
export function quarantineReason(view: RunView): string | undefined {
  return view.status === "uncertain" && view.error?.code === "RUN_QUARANTINED"
    ? view.error.message
    : undefined;
}

/** The step of an uncertain run that was cut off. */
export function uncertainStep(view: RunView): string | undefined {
  const cutOff = [...view.nodes].find(([, runs]) => runs.some((run) => run.status === "uncertain"));
  return cutOff?.[0] ?? (stringField(view.error?.node) || undefined);
}

/** How long the run took, or has taken so far. */
export function elapsed(view: RunView, now: number): number {
  return Math.max(0, (view.finishedAt ?? now) - view.startedAt);
}

/** Where a run of a node stands in the list of them. Mostly that is at its own number, or behind all that there are. */
export function indexOfRun(list: readonly NodeRunView[], runIndex: number): number {
  if (list[runIndex]?.runIndex === runIndex) return runIndex;
  if ((list.at(-1)?.runIndex ?? -1) < runIndex) return -1;
  return list.findIndex((run) => run.runIndex === runIndex);
}

export function createRun(runIndex: number, startedMs: number): NodeRunView {
  return {
    runIndex,
    status: "running",
    startedMs,
    durationMs: 0,
    outputs: [],
    source: [],
    order: 0,
    retries: 0,
    hints: [],
    lines: [],
    notes: 0,
  };
}

const RUN_STATUSES: readonly string[] = [
  "running",
  "success",
  "error",
  "waiting",
  "canceled",
  "uncertain",
];
const STEP_STATUSES: readonly string[] = [
  "running",
  "success",
  "error",
  "waiting",
  "canceled",
  "reused",
];

export function parseRunStatus(value: unknown): RunStatus {
  return typeof value === "string" && RUN_STATUSES.includes(value) ? (value as RunStatus) : "error";
}

/** How a step ended. One that was stopped with its run tells that as an error, but nothing in it failed. */
export function parseStepStatus(value: unknown, failure?: RunFailure): StepStatus {
  if (failure?.code === CANCELLED) return "canceled";
  return typeof value === "string" && STEP_STATUSES.includes(value)
    ? (value as StepStatus)
    : "error";
}

const CANCELLED = "RUN_CANCELLED";

/** What went wrong; being stopped by a person is nothing that did. */
export function parseFailure(value: unknown): RunFailure | undefined {
  const found = parseError(value);
  return found?.code === CANCELLED ? undefined : found;
}

export function parseError(value: unknown): RunFailure | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  return {
    ...fields,
    code: stringField(fields.code) || "UNKNOWN",
    message: stringField(fields.message) || "Failed without a message",
  };
}

export function stringField(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}
