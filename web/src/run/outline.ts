// A stored run's outline as the server gives it, and how it becomes the same view that a live run has.

import { error, failure, type NodeRun, type OutputCount, type RunView, runStatus, type Spending, stepStatus } from "./view";

/** `GET /executions/{id}/outline`: the record of a run without its items. */
export interface Outline {
  id: string;
  status: string;
  mode: string;
  startedAt: string;
  stoppedAt: string | null;
  workflowId: string;
  error?: unknown;
  waitTill?: string | null;
  nodes: Record<string, OutlineStep[]>;
  /** What each model node was asked and what that cost. */
  models?: Spending[];
}

export interface OutlineStep {
  runIndex: number;
  startTime: number;
  /** Missing while the step goes on. */
  executionTime?: number;
  executionIndex?: number;
  status: string;
  source?: ({ previousNode?: string; previousNodeOutput?: number; previousNodeRun?: number } | null)[];
  outputs?: OutputCount[];
  error?: unknown;
  hints?: (string | { message?: string })[];
  /** How many steps of its own it noted. */
  steps?: number;
  served?: { kind: string; node: string; run?: number };
  /** The execution that its result was taken from. */
  reused?: string | number | null;
}

export function fromOutline(outline: Outline): RunView {
  const order = orders(outline.nodes);
  const nodes = new Map<string, NodeRun[]>();
  for (const [name, steps] of Object.entries(outline.nodes)) {
    nodes.set(
      name,
      steps.map((step) => toRun(step, order.get(step) ?? 0)),
    );
  }
  const failed = failure(outline.error);
  const waiting = [...nodes].find(([, runs]) => runs.at(-1)?.status === "waiting");
  return {
    executionId: String(outline.id),
    workflowId: outline.workflowId,
    status: runStatus(outline.status),
    mode: outline.mode,
    startedAt: Date.parse(outline.startedAt),
    finishedAt: outline.stoppedAt ? Date.parse(outline.stoppedAt) : null,
    nodes,
    answers: new Map(),
    spent: outline.models ?? [],
    error: failed,
    waiting:
      outline.status === "waiting" && waiting
        ? { node: waiting[0], untilMs: outline.waitTill ? Date.parse(outline.waitTill) : null, execution: null }
        : undefined,
    source: "stored",
    steps: order.size,
  };
}

/** Steps in the order they began; where two began in the same millisecond, in the order the server counted them. */
function orders(nodes: Record<string, OutlineStep[]>): Map<OutlineStep, number> {
  const all = Object.values(nodes).flat();
  all.sort((a, b) => a.startTime - b.startTime || (a.executionIndex ?? 0) - (b.executionIndex ?? 0) || a.runIndex - b.runIndex);
  return new Map(all.map((step, index) => [step, index]));
}

function toRun(step: OutlineStep, order: number): NodeRun {
  return {
    runIndex: step.runIndex,
    status: step.reused !== undefined && step.reused !== null ? "reused" : stepStatus(step.status, error(step.error)),
    startedMs: step.startTime,
    durationMs: step.executionTime ?? 0,
    outputs: step.outputs ?? [],
    source: (step.source ?? []).map((source) =>
      source?.previousNode
        ? { node: source.previousNode, output: source.previousNodeOutput ?? 0, run: source.previousNodeRun ?? 0 }
        : null,
    ),
    order,
    error: failure(step.error),
    retries: 0,
    hints: (step.hints ?? []).map((hint) => (typeof hint === "string" ? hint : (hint.message ?? ""))).filter(Boolean),
    lines: [],
    notes: step.steps ?? 0,
    served: step.served && { kind: step.served.kind, above: step.served.node, run: step.served.run },
  };
}
