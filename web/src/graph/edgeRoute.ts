/** The way a line takes between two ports: steps with round corners; one that leads back goes around the nodes, not through them. */
import type { Point } from "./geometry";

const RADIUS = 10;
/** How far a line leaves a port before it may turn. */
const STUB = 20;
/** How far below the nodes a line runs that leads back. */
const LANE = 24;
/** Between ports this far apart a line that leads back fits between their nodes. */
const MIN_PASSAGE = 240;
/** How far below the middle a supply turns and carries its label. */
const LABEL_DROP = 14;

export interface Route {
  path: string;
  /** The middle, where the chip with the number of items and the buttons stand. */
  label: Point;
}

/** Whether a line of items has to go around the nodes, because its end is to the left of where it begins. */
export function leadsBack(from: Point, to: Point): boolean {
  return to.x < from.x - STUB;
}

/** A line of items from the right side of a node to the left side of another. */
export function flowRoute(from: Point, to: Point, below = Math.max(from.y, to.y)): Route {
  if (!leadsBack(from, to) && to.x < from.x + 2 * STUB) return tightRoute(from, to);
  if (!leadsBack(from, to)) {
    const rise = Math.abs(to.y - from.y);
    if (rise < 1) return straightRoute(from, to);
    // A step this small would look like a mistake; a gentle bend does not.
    if (rise < 2 * RADIUS) return steppedRoute(from, to);
    // The turn is nearer to the target, so that lines from one port run together for longer and lie apart where they end.
    const x = Math.max(from.x + STUB, to.x - Math.max(STUB * 1.5, (to.x - from.x) / 2));
    return roundedRoute([from, { x, y: from.y }, { x, y: to.y }, to], 1);
  }
  const gap = Math.abs(to.y - from.y);
  const lane = gap > MIN_PASSAGE ? (from.y + to.y) / 2 : below + LANE;
  const right = from.x + STUB;
  const left = to.x - STUB;
  return roundedRoute(
    [
      from,
      { x: right, y: from.y },
      { x: right, y: lane },
      { x: left, y: lane },
      { x: left, y: to.y },
      to,
    ],
    2,
  );
}

/** A line from the top of a sub-node to the diamond of the node it serves. What it says stands nearer to the sub-node, clear of the diamond's plus. */
export function subNodeRoute(from: Point, to: Point): Route {
  if (Math.abs(from.x - to.x) < 1) {
    const { path, label } = straightRoute(from, to);
    return { path, label: { x: label.x, y: label.y + (from.y > to.y ? LABEL_DROP : 0) } };
  }
  if (from.y < to.y + 12) {
    const lane = Math.max(from.y, to.y) + LANE;
    return roundedRoute(
      [
        from,
        { x: from.x, y: from.y - 12 },
        { x: from.x + 40, y: from.y - 12 },
        { x: from.x + 40, y: lane },
        { x: to.x, y: lane },
        to,
      ],
      3,
    );
  }
  const bend = (from.y - to.y) / 2;
  const label = midpoint(from, to);
  return {
    path: curve(from, { x: from.x, y: from.y - bend }, { x: to.x, y: to.y + bend }, to),
    label: { x: label.x, y: label.y + LABEL_DROP },
  };
}

/** Between nodes that stand side by side or above each other there is no room for steps. */
function tightRoute(from: Point, to: Point): Route {
  if (Math.abs(to.y - from.y) < 1 && to.x >= from.x) return straightRoute(from, to);
  const bend = 2 * STUB;
  return {
    path: curve(from, { x: from.x + bend, y: from.y }, { x: to.x - bend, y: to.y }, to),
    label: midpoint(from, to),
  };
}

function curve(from: Point, first: Point, second: Point, to: Point): string {
  const [start, ...rest] = [from, first, second, to].map(({ x, y }) => `${round(x)} ${round(y)}`);
  return `M${start}C${rest.join(" ")}`;
}

function straightRoute(from: Point, to: Point): Route {
  return {
    path: `M${round(from.x)} ${round(from.y)}L${round(to.x)} ${round(to.y)}`,
    label: midpoint(from, to),
  };
}

function steppedRoute(from: Point, to: Point): Route {
  const x = (from.x + to.x) / 2;
  return {
    path: curve(from, { x, y: from.y }, { x, y: to.y }, to),
    label: midpoint(from, to),
  };
}

/** A path along points with round corners; `middle` is the piece whose middle carries the label. */
function roundedRoute(points: readonly Point[], middle: number): Route {
  const [first] = points;
  let path = first ? `M${round(first.x)} ${round(first.y)}` : "";
  for (let at = 1; at < points.length; at++) {
    const [before, corner, after] = [points[at - 1], points[at], points[at + 1]] as [
      Point,
      Point,
      Point | undefined,
    ];
    if (!after) {
      path += `L${round(corner.x)} ${round(corner.y)}`;
      break;
    }
    const radius = Math.min(RADIUS, distance(before, corner) / 2, distance(corner, after) / 2);
    const enter = moveToward(corner, before, radius);
    const leave = moveToward(corner, after, radius);
    path += `L${round(enter.x)} ${round(enter.y)}Q${round(corner.x)} ${round(corner.y)} ${round(leave.x)} ${round(leave.y)}`;
  }
  const one = points[middle] as Point;
  const other = points[middle + 1] as Point;
  return { path, label: midpoint(one, other) };
}

function distance(one: Point, other: Point): number {
  return Math.abs(one.x - other.x) + Math.abs(one.y - other.y);
}

function moveToward(from: Point, to: Point, length: number): Point {
  const whole = distance(from, to) || 1;
  return {
    x: from.x + ((to.x - from.x) * length) / whole,
    y: from.y + ((to.y - from.y) * length) / whole,
  };
}

function midpoint(one: Point, other: Point): Point {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
