/** In which order nodes of one column stand: that of the outputs they hang at, unless another order saves crossings. */
import type { graphlib } from "@dagrejs/dagre";

type Graph = graphlib.Graph;
type Ordering = (graph: Graph, options: { disableOptimalOrderHeuristic?: boolean }) => void;

/**
 * Takes the order in which the branches leave their nodes, “true” above “false”, if no other order has fewer crossings. The way that
 * saves crossings does not care which of two branches is the upper one.
 */
export function orderBranches(graph: Graph, order: Ordering): void {
  order(graph, { disableOptimalOrderHeuristic: true });
  const plain = countCrossings(graph);
  if (plain === 0) return;
  const places = new Map(graph.nodes().map((name) => [name, nodePosition(graph, name).order]));
  order(graph, {});
  if (countCrossings(graph) < plain) return;
  for (const [name, at] of places) nodePosition(graph, name).order = at;
}

interface NodePosition {
  rank: number;
  order: number;
}

function nodePosition(graph: Graph, name: string): NodePosition {
  return graph.node(name) as unknown as NodePosition;
}

/** How many pairs of lines between neighbouring columns cross. */
function countCrossings(graph: Graph): number {
  const columns = new Map<number, { from: number; to: number }[]>();
  for (const { v, w } of graph.edges()) {
    const [one, other] = [nodePosition(graph, v), nodePosition(graph, w)];
    const lines = columns.get(one.rank);
    const line = { from: one.order, to: other.order };
    if (lines) lines.push(line);
    else columns.set(one.rank, [line]);
  }
  let sum = 0;
  for (const lines of columns.values()) {
    lines.sort((one, other) => one.from - other.from || one.to - other.to);
    // Ends in rising order so far; every one behind the place of the next is crossed by it.
    const ends: number[] = [];
    for (const { to } of lines) {
      let at = ends.length;
      while (at > 0 && (ends[at - 1] ?? 0) > to) at--;
      sum += ends.length - at;
      ends.splice(at, 0, to);
    }
  }
  return sum;
}
