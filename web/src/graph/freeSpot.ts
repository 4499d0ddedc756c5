/** A place for a new node where it covers no other. */

import type { WorkflowDocument } from "../api/workflowDocument";
import { occupiedBox, type Point, toCanvas } from "./geometry";
import type { Ports } from "./ports";
import { type Box, overlaps } from "./viewRegion";

export interface FreeSpotSearch {
  /** Where the next place is tried. */
  step: Point;
  /** The room that the new node takes, from its corner. */
  body: Partial<Point> & { width: number; height: number };
}

const MAX_TRIES = 200;

/** The first free place from a point on. `ports` has all nodes that can be in the way. */
export function findFreeSpot(
  document: WorkflowDocument,
  ports: ReadonlyMap<string, Ports>,
  from: Point,
  { step, body }: FreeSpotSearch,
): Point {
  const taken = document.nodes.flatMap((node): Box[] => {
    const own = ports.get(node.name);
    if (!own) return [];
    const corner = toCanvas(node.position);
    const box = occupiedBox(own);
    return [{ ...box, x: corner.x + box.x, y: corner.y + box.y }];
  });
  let { x, y } = from;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const wanted = { ...body, x: x + (body.x ?? 0), y: y + (body.y ?? 0) };
    if (!taken.some((box) => overlaps(box, wanted))) break;
    x += step.x;
    y += step.y;
  }
  return { x, y };
}
