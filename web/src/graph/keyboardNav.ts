/** Walking from node to node with the arrow keys. */

import type { WorkflowDocument } from "../api/workflowDocument";
import { edgesOf, MAIN } from "./edges";
import { nodeSize, type Point, type Size, toCanvas } from "./geometry";
import { isSubNodeKind, type Ports } from "./ports";

export type Direction = "left" | "right" | "up" | "down";

/** The node one comes to; without a start, the one nearest to the upper left. */
export function findNeighbour(
  document: WorkflowDocument,
  from: string | null,
  direction: Direction,
  ports: ReadonlyMap<string, Ports>,
): string | null {
  const places = new Map<string, Point>();
  for (const node of document.nodes) {
    const own = ports.get(node.name);
    if (own) places.set(node.name, middleOf(node.position, nodeSize(own)));
  }
  const here = from === null ? undefined : places.get(from);
  if (from === null || !here)
    return (
      nearest(places, { x: Number.NEGATIVE_INFINITY, y: Number.NEGATIVE_INFINITY }, () => true) ??
      null
    );
  return (
    neighbourAlongEdge(document, from, direction, places, here) ??
    neighbourBeside(places, from, here, direction) ??
    null
  );
}

/** Along a connection: items lead right, supplies lead up. */
function neighbourAlongEdge(
  document: WorkflowDocument,
  from: string,
  direction: Direction,
  places: ReadonlyMap<string, Point>,
  here: Point,
) {
  const next = edgesOf(document).flatMap((edge) => {
    if (direction === "right" && edge.kind === MAIN && edge.from === from) return [edge.to];
    if (direction === "left" && edge.kind === MAIN && edge.to === from) return [edge.from];
    if (direction === "down" && isSubNodeKind(edge.kind) && edge.to === from) return [edge.from];
    if (direction === "up" && isSubNodeKind(edge.kind) && edge.from === from) return [edge.to];
    return [];
  });
  const reachable = new Map([...places].filter(([name]) => next.includes(name) && name !== from));
  return nearest(reachable, here, () => true);
}

function neighbourBeside(
  places: ReadonlyMap<string, Point>,
  from: string,
  here: Point,
  direction: Direction,
) {
  const isThere = (name: string, { x, y }: Point) => {
    if (name === from) return false;
    const [dx, dy] = [x - here.x, y - here.y];
    if (direction === "left") return dx < -20 && Math.abs(dy) <= Math.abs(dx);
    if (direction === "right") return dx > 20 && Math.abs(dy) <= Math.abs(dx);
    return direction === "up"
      ? dy < -20 && Math.abs(dx) <= Math.abs(dy) * 3
      : dy > 20 && Math.abs(dx) <= Math.abs(dy) * 3;
  };
  return nearest(places, here, isThere);
}

/** Nodes are of different sizes, so their middles are compared. */
function middleOf(position: readonly [number, number], { width, height }: Size): Point {
  const { x, y } = toCanvas(position);
  return { x: x + width / 2, y: y + height / 2 };
}

function nearest(
  places: ReadonlyMap<string, Point>,
  here: Point,
  fits: (name: string, at: Point) => boolean,
): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [name, at] of places) {
    if (!fits(name, at)) continue;
    const far = Number.isFinite(here.x) ? Math.hypot(at.x - here.x, at.y - here.y) : at.x + at.y;
    if (far < least) [best, least] = [name, far];
  }
  return best;
}
