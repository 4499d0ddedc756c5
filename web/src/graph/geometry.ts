/**
 * Where things stand on the canvas.
 *
 * Positions in a document are n8n's, made for boxes of about 100 px. Cards here are wider, so the drawing stretches positions along x
 * and takes it back when a position is saved; whole numbers come back exactly.
 */

import type { WorkflowNode } from "../api/workflowDocument";
import { MAIN } from "./edges";
import { isSubNodeKind, type Port, type Ports } from "./ports";

export const N8N_SCALE = 1.45;
/** Dragged things stand on this grid, in pixels of the canvas. */
export const GRID = 8;

export const CARD_WIDTH = 220;
export const CARD_HEIGHT = 64;
export const SUB_NODE_SIZE = 56;
/** How far inputs or outputs stand from each other on a side of a card. */
const PORT_STEP = 28;
/** How far the diamonds below an agent stand from each other. */
const SUB_NODE_STEP = 76;
/** How far a sub-node hangs below the node it serves: there is room for the name of the diamond, its plus and the number of calls. */
export const SUB_NODE_DROP = 104;
/** In n8n a sub-node is a circle of 80; this puts the middle of ours where that one's would be. */
const SUB_NODE_SHIFT = 40 * N8N_SCALE - SUB_NODE_SIZE / 2;

export interface Point {
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

/** Where a node's box begins on the canvas. */
export function toCanvas(position: readonly [number, number] | undefined, isCircle = false): Point {
  const [x, y] = Array.isArray(position) ? position : [0, 0];
  return { x: finite(x) * N8N_SCALE + (isCircle ? SUB_NODE_SHIFT : 0), y: finite(y) };
}

/** The position to save for a box that begins here. */
export function toDocument(point: Point, isCircle = false): [number, number] {
  return [Math.round((point.x - (isCircle ? SUB_NODE_SHIFT : 0)) / N8N_SCALE), Math.round(point.y)];
}

export function snap(point: Point): Point {
  return { x: Math.round(point.x / GRID) * GRID, y: Math.round(point.y / GRID) * GRID };
}

/** How large a node is drawn. */
export function nodeSize(ports: Ports): Size {
  if (ports.shape === "circle") return { width: SUB_NODE_SIZE, height: SUB_NODE_SIZE };
  const supplies = ports.inputs.filter((port) => isSubNodeKind(port.kind)).length;
  const side = Math.max(flowPorts(ports.inputs).length, flowPorts(ports.outputs).length);
  return {
    width: Math.max(CARD_WIDTH, Math.ceil((supplies * SUB_NODE_STEP + 16) / GRID) * GRID),
    height: Math.max(CARD_HEIGHT, side * PORT_STEP + 8),
  };
}

/** Where a port is, from the corner of its node's box. */
export function portPosition(
  ports: Ports,
  side: "input" | "output",
  port: Port,
  size = nodeSize(ports),
): Point {
  const all = side === "input" ? ports.inputs : ports.outputs;
  const isVertical = isSubNodeKind(port.kind);
  const beside = all.filter((other) => isSubNodeKind(other.kind) === isVertical);
  const at = Math.max(
    0,
    beside.findIndex((other) => other.kind === port.kind && other.index === port.index),
  );
  if (!isVertical) {
    const middle = size.height / 2 + (at - (beside.length - 1) / 2) * PORT_STEP;
    return { x: side === "input" ? 0 : size.width, y: middle };
  }
  // What a node needs hangs below it; what it gives leaves at its top.
  if (ports.shape === "circle") {
    const step = SUB_NODE_SIZE / Math.max(2, beside.length);
    return {
      x: size.width / 2 + (at - (beside.length - 1) / 2) * step,
      y: side === "input" ? size.height : 0,
    };
  }
  const step = side === "input" ? (size.width - 16) / beside.length : SUB_NODE_STEP;
  return { x: 8 + step * (at + 0.5), y: side === "input" ? size.height : 0 };
}

/** The handle's name of a port, for the library that draws the graph. */
export function handleId(side: "input" | "output", port: { kind: string; index: number }): string {
  return `${side === "input" ? "in" : "out"}:${port.kind}:${port.index}`;
}

export function parseHandleId(
  handle: string | null | undefined,
): { side: "input" | "output"; kind: string; index: number } | null {
  const [side, kind, index] = (handle ?? "").split(":");
  if ((side !== "in" && side !== "out") || !kind) return null;
  return { side: side === "in" ? "input" : "output", kind, index: Number(index) || 0 };
}

/** The size of a note: n8n keeps it in its parameters. */
export function noteSize(node: WorkflowNode): Size {
  return {
    width: dimension(node.parameters.width, 240) * N8N_SCALE,
    height: dimension(node.parameters.height, 160),
  };
}

function flowPorts(ports: readonly Port[]): Port[] {
  return ports.filter((port) => port.kind === MAIN || !isSubNodeKind(port.kind));
}

function dimension(value: unknown, otherwise: number): number {
  return typeof value === "number" && value > 0 ? Math.min(value, 20_000) : otherwise;
}

function finite(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
