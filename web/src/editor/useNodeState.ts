/** How a node stands: in the run that is shown, in the check of the document and in a comparison of versions. */
import type { Problem } from "../api/types";
import type { ChangeKind } from "../graph/documentDiff";
import type { NodeRunView } from "../run/runView";
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";

export interface NodeState {
  runs: readonly NodeRunView[];
  status: NodeRunView["status"] | undefined;
  problems: readonly Problem[];
  change: ChangeKind | undefined;
}

const NO_RUNS: readonly NodeRunView[] = [];
const NO_PROBLEMS: readonly Problem[] = [];

/** Each part is the same object until it changes, so a node is drawn again only for its own sake. */
export function useNodeState(name: string): NodeState {
  const runs = useEditor((state) => state.run?.nodes.get(name)) ?? NO_RUNS;
  const problems = useCanvas((state) => state.problems.get(name)) ?? NO_PROBLEMS;
  const change = useCanvas((state) => state.difference?.nodes.get(name));
  return { runs, status: worstStatus(runs), problems, change };
}

/** An error in any of its runs is the thing to see; else how the last one stands. */
function worstStatus(runs: readonly NodeRunView[]): NodeRunView["status"] | undefined {
  const last = runs[runs.length - 1];
  if (last?.status === "running" || last?.status === "waiting") return last.status;
  return runs.some((run) => run.status === "error") ? "error" : last?.status;
}
