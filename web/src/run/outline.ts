// A stored run's outline as the server gives it, and how it becomes the same view that a live run has.

import type { ExecutionOutline, NodeRun as OutlineStep } from "../api/generated";
import {
  type NodeRunView,
  parseError,
  parseFailure,
  parseRunStatus,
  parseStepStatus,
  type RunView,
  type StepStatus,
} from "./runView";

export function fromOutline(outline: ExecutionOutline): RunView {
  const order = stepOrder(outline.nodes);
  const nodes = new Map<string, NodeRunView[]>();
  for (const [name, steps] of Object.entries(outline.nodes)) {
    nodes.set(
      name,
      steps.map((step) => {
        const run = toRun(step, order.get(step) ?? 0);
        return { ...run, status: finalStatus(run.status, outline.status) };
      }),
    );
  }
  const failed = parseFailure(outline.error);
  const waiting = [...nodes].find(([, runs]) => runs.at(-1)?.status === "waiting");
  return {
    executionId: String(outline.id),
    workflowId: outline.workflowId,
    status: parseRunStatus(outline.status),
    mode: outline.mode,
    startedAt: Date.parse(outline.startedAt),
    finishedAt: outline.stoppedAt ? Date.parse(outline.stoppedAt) : null,
    nodes,
    answers: new Map(),
    spent: outline.models,
    approvals: [],
    error: failed,
    waiting:
      outline.status === "waiting" && waiting
        ? {
            node: waiting[0],
            untilMs: outline.waitTill ? Date.parse(outline.waitTill) : null,
            execution: null,
          }
        : undefined,
    source: "stored",
    events: outline.events,
    steps: order.size,
  };
}

/** What became of a step that was under way when it was noted, by how its run stands now. */
function finalStatus(step: StepStatus, run: string): StepStatus {
  if (step === "running" && run === "uncertain") return "uncertain";
  const isAsleep = run === "waiting" || run === "running" || run === "new";
  if (step !== "waiting" || isAsleep) return step;
  // A run that went on has left its wait behind, also one that took the step over from another run.
  return run === "canceled" ? "canceled" : "success";
}

/** Steps in the order they began; where two began in the same millisecond, in the order the server counted them. */
function stepOrder(nodes: Record<string, OutlineStep[]>): Map<OutlineStep, number> {
  const all = Object.values(nodes).flat();
  all.sort(
    (a, b) =>
      a.startTime - b.startTime ||
      (a.executionIndex ?? 0) - (b.executionIndex ?? 0) ||
      a.runIndex - b.runIndex,
  );
  return new Map(all.map((step, index) => [step, index]));
}

function toRun(step: OutlineStep, order: number): NodeRunView {
  return {
    runIndex: step.runIndex,
    status:
      step.reused !== undefined ? "reused" : parseStepStatus(step.status, parseError(step.error)),
    startedMs: step.startTime,
    durationMs: step.executionTime ?? 0,
    outputs: step.outputs ?? [],
    source: (step.source ?? []).map((source) =>
      source?.previousNode
        ? {
            node: source.previousNode,
            output: source.previousNodeOutput ?? 0,
            run: source.previousNodeRun ?? 0,
          }
        : null,
    ),
    order,
    error: parseFailure(step.error),
    retries: 0,
    hints: step.hints ?? [],
    lines: [],
    notes: step.steps ?? 0,
    served: step.served && {
      kind: step.served.kind,
      above: step.served.node,
      run: step.served.run,
    },
  };
}
