/** What keeps a step from running: a type that is not supported, or a credential that is missing, in the node or in one that it needs. */
import type { Problem } from "../api/types";
import type { WorkflowDocument } from "../api/workflowDocument";
import { findNode, withSubNodes } from "../graph/document";
import { useCanvas } from "./canvasStore";
import { useEditor } from "./editorStore";

type ProblemsByNode = ReadonlyMap<string, readonly Problem[]>;

export function findStoppingProblem(
  document: WorkflowDocument,
  problems: ProblemsByNode,
  name: string,
): Problem | null {
  if (problems.size === 0) return null;
  for (const needed of withSubNodes(document, [name])) {
    // Pinned data takes the place of a run, and a node that is off is not asked.
    if (document.pinData?.[needed] || findNode(document, needed)?.disabled) continue;
    const found = problems.get(needed)?.find((problem) => problem.stopsNode);
    if (found) return found;
  }
  return null;
}

export function useStoppingProblem(name: string): Problem | null {
  const problems = useCanvas((state) => state.problems);
  return useEditor((state) => findStoppingProblem(state.workflow, problems, name));
}
