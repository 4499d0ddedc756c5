/** Keeps what the check of the document found at the nodes it is about. */
import { useEffect } from "react";
import type { Problem } from "../api/types";
import { useProblems } from "../drawer/useProblems";
import { useCanvas } from "../store/canvasStore";

export function useProblemMarks() {
  const { problems } = useProblems();
  useEffect(() => {
    const before = useCanvas.getState().problems;
    const marks = new Map<string, Problem[]>();
    for (const problem of problems) {
      if (!problem.node) continue;
      const list = marks.get(problem.node);
      if (list) list.push(problem);
      else marks.set(problem.node, [problem]);
    }
    // A node whose problems are the same keeps its list, so that it is not drawn again.
    const kept = new Map(
      [...marks].map(([name, list]) => [
        name,
        isSameList(before.get(name), list) ? (before.get(name) ?? list) : list,
      ]),
    );
    useCanvas.setState({ problems: kept });
  }, [problems]);
}

function isSameList(one: readonly Problem[] | undefined, other: readonly Problem[]): boolean {
  return (
    one?.length === other.length &&
    one.every((problem, index) => problem.message === other[index]?.message)
  );
}
