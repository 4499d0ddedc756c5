// The difference of two runs, node by node. Pure.

import type { NodeRunView, RunView } from "../../run/runView";

export type StepVerdict = "same" | "changed" | "only-a" | "only-b";

export interface ComparedStep {
  node: string;
  runIndex: number;
  a: NodeRunView | undefined;
  b: NodeRunView | undefined;
  verdict: StepVerdict;
  /** Whether what differs is plain to see before any item is looked at: status or counts. */
  isShape: boolean;
}

/** The steps of two runs side by side, in the order of the first and then of the second. */
export function compareRuns(a: RunView, b: RunView): ComparedStep[] {
  const found = new Map<string, ComparedStep>();
  const add = (view: RunView, side: "a" | "b") => {
    for (const [node, runs] of view.nodes) {
      for (const run of runs) {
        const key = `${node}\n${run.runIndex}`;
        const step = found.get(key) ?? {
          node,
          runIndex: run.runIndex,
          a: undefined,
          b: undefined,
          verdict: "same" as StepVerdict,
          isShape: false,
        };
        found.set(key, { ...step, [side]: run });
      }
    }
  };
  add(a, "a");
  add(b, "b");
  const order = (step: ComparedStep) => step.a?.order ?? (step.b?.order ?? 0) + 0.5;
  return [...found.values()].map(judgeStep).sort((one, other) => order(one) - order(other));
}

function judgeStep(step: ComparedStep): ComparedStep {
  const { a, b } = step;
  if (!a) return { ...step, verdict: "only-b", isShape: true };
  if (!b) return { ...step, verdict: "only-a", isShape: true };
  const isShape =
    isGood(a) !== isGood(b) || counts(a) !== counts(b) || a.error?.code !== b.error?.code;
  return { ...step, verdict: isShape ? "changed" : "same", isShape };
}

function isGood(run: NodeRunView): string {
  return run.status === "reused" ? "success" : run.status;
}

function counts(run: NodeRunView): string {
  return run.outputs.map((output) => `${output.kind} ${output.index} ${output.items}`).join(", ");
}
