// How two views of a run are joined: what a partial run takes over from the run before it, and what a finished run's record adds to
// what was heard of it live.

import type { NodeRunView, RunView } from "./runView";

/** The results of an earlier run, shown as reused until the new run says otherwise, so that the canvas does not go blank between. */
export function carryOverResults(last: RunView | null): RunView | null {
  if (!last || last.status === "listening") return null;
  const nodes = new Map<string, NodeRunView[]>();
  for (const [name, runs] of last.nodes) {
    const good = runs.filter((run) => run.status === "success" || run.status === "reused");
    if (good.length > 0)
      nodes.set(
        name,
        good.map((run) => ({ ...run, status: "reused" as const })),
      );
  }
  return {
    ...last,
    status: "running",
    startedAt: Date.now(),
    finishedAt: null,
    nodes,
    answers: new Map(),
    spent: [],
    approvals: [],
    error: undefined,
    waiting: undefined,
    source: "live",
  };
}

/** The stored record with what only the live stream told: words, costs, log lines and retries. */
export function mergeStoredRun(live: RunView, stored: RunView): RunView {
  const nodes = new Map<string, NodeRunView[]>();
  for (const [name, runs] of stored.nodes) {
    const heard = new Map((live.nodes.get(name) ?? []).map((run) => [run.runIndex, run]));
    nodes.set(
      name,
      runs.map((run) => {
        const earlier = heard.get(run.runIndex);
        return earlier
          ? {
              ...run,
              lines: earlier.lines,
              retries: earlier.retries,
              notes: Math.max(run.notes, earlier.notes),
            }
          : run;
      }),
    );
  }
  return {
    ...stored,
    nodes,
    answers: live.answers,
    spent: live.spent,
    approvals: live.approvals,
    source: "live",
  };
}
