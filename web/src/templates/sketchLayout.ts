/** A workflow as a small drawing: where its boxes and lines go in a frame of a given size. */
import type { WorkflowDocument } from "../api/workflowDocument";
import { STICKY_NOTE } from "../graph/document";

export interface SketchBox {
  name: string;
  type: string;
  shape: "card" | "start" | "circle";
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface SketchEdge {
  /** What an SVG path takes. */
  path: string;
  /** Lines of models, memories and tools are dashed. */
  dashed: boolean;
}

export interface SketchLayout {
  boxes: SketchBox[];
  lines: SketchEdge[];
}

const CARD = { width: 180, height: 64 };
const CIRCLE = 56;
const MARGIN = 14;

/** Fits a workflow into a frame. Notes are left out: at this size nobody reads them. */
export function layoutSketch(
  document: Pick<WorkflowDocument, "nodes" | "connections">,
  width: number,
  height: number,
): SketchLayout {
  const nodes = document.nodes.filter((node) => node.type !== STICKY_NOTE);
  if (nodes.length === 0) return { boxes: [], lines: [] };
  const below = new Set<string>();
  const fed = new Set<string>();
  for (const [from, kinds] of Object.entries(document.connections)) {
    for (const [kind, outputs] of Object.entries(kinds)) {
      if (kind !== "main" && outputs.flat().length > 0) below.add(from);
      if (kind === "main") for (const target of outputs.flat()) if (target) fed.add(target.node);
    }
  }
  const sizes = nodes.map((node) => {
    const [x, y] = node.position;
    return below.has(node.name) ? { x, y, width: CIRCLE, height: CIRCLE } : { x, y, ...CARD };
  });
  const left = Math.min(...sizes.map((size) => size.x));
  const top = Math.min(...sizes.map((size) => size.y));
  const right = Math.max(...sizes.map((size) => size.x + size.width));
  const bottom = Math.max(...sizes.map((size) => size.y + size.height));
  const scale = Math.min(
    (width - 2 * MARGIN) / (right - left),
    (height - 2 * MARGIN) / (bottom - top),
    0.5,
  );
  const shiftX = (width - (right - left) * scale) / 2;
  const shiftY = (height - (bottom - top) * scale) / 2;
  const boxes = nodes.map((node, index): SketchBox => {
    const size = sizes[index] ?? { x: 0, y: 0, ...CARD };
    const shape = below.has(node.name) ? "circle" : fed.has(node.name) ? "card" : "start";
    return {
      name: node.name,
      type: node.type,
      shape,
      x: round((size.x - left) * scale + shiftX),
      y: round((size.y - top) * scale + shiftY),
      width: round(size.width * scale),
      height: round(size.height * scale),
    };
  });
  return {
    boxes,
    lines: layoutEdges(document.connections, new Map(boxes.map((box) => [box.name, box]))),
  };
}

function layoutEdges(
  connections: WorkflowDocument["connections"],
  boxes: ReadonlyMap<string, SketchBox>,
): SketchEdge[] {
  const found: SketchEdge[] = [];
  for (const [from, kinds] of Object.entries(connections)) {
    for (const [kind, outputs] of Object.entries(kinds)) {
      for (const target of outputs.flat()) {
        const begin = boxes.get(from);
        const end = target ? boxes.get(target.node) : undefined;
        if (!begin || !end) continue;
        found.push(kind === "main" ? forwardEdge(begin, end) : subNodeEdge(begin, end));
      }
    }
  }
  return found;
}

function forwardEdge(begin: SketchBox, end: SketchBox): SketchEdge {
  const [x1, y1] = [begin.x + begin.width, begin.y + begin.height / 2];
  const [x2, y2] = [end.x, end.y + end.height / 2];
  if (x2 <= x1)
    return backEdge(x1, y1, x2, y2, Math.max(begin.y + begin.height, end.y + end.height) + 9);
  const bend = (x2 - x1) / 2;
  return {
    path: `M${round(x1)} ${round(y1)}C${round(x1 + bend)} ${round(y1)} ${round(x2 - bend)} ${round(y2)} ${round(x2)} ${round(y2)}`,
    dashed: false,
  };
}

/** A line that goes back runs below what it connects, so that a loop can be seen as one. */
function backEdge(x1: number, y1: number, x2: number, y2: number, below: number): SketchEdge {
  const [out, back] = [x1 + 7, x2 - 7];
  const points = [
    `M${round(x1)} ${round(y1)}H${round(out)}`,
    `V${round(below)}`,
    `H${round(back)}`,
    `V${round(y2)}`,
    `H${round(x2)}`,
  ];
  return { path: points.join(""), dashed: false };
}

function subNodeEdge(begin: SketchBox, end: SketchBox): SketchEdge {
  const [x1, y1] = [begin.x + begin.width / 2, begin.y];
  const [x2, y2] = [end.x + end.width / 2, end.y + end.height];
  const middle = (y1 + y2) / 2;
  return {
    path: `M${round(x1)} ${round(y1)}C${round(x1)} ${round(middle)} ${round(x2)} ${round(middle)} ${round(x2)} ${round(y2)}`,
    dashed: true,
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
