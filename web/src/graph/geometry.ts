/**
 * Where things stand on the canvas.
 *
 * Positions in a document are n8n's: pixels, the upper left corner of a node. Nodes have the sizes that n8n gives them, so a workflow
 * looks here as its author laid it out: squares with the name below, wide cards for nodes with sub-nodes, circles for sub-nodes.
 */

import type { WorkflowNode } from "../api/workflowDocument";
import { MAIN } from "./edges";
import { isSubNodeKind, type Port, type Ports } from "./ports";

/** Dragged and new nodes stand on this grid. */
export const GRID = 16;

export const NODE_SIZE = 96;
/** A node with room for sub-nodes below it; with many of them it is wider. */
export const WIDE_NODE_WIDTH = 256;
export const SUB_NODE_SIZE = 80;
/** How far inputs or outputs stand from each other on a side of a node. */
const PORT_STEP = 32;
/** Ports below a wide node have places at equal steps. What it needs begins at the left, what it may have ends at the right. */
const SLOT_STEP = 60;
/** As many as this stand further apart, so that their names have room. */
const FEW_SLOTS = 3;
const FEW_SLOTS_STEP = 84;
/** More than this make the node wider. */
const MAX_SLOTS = 4;
/** How far a sub-node hangs below the node it serves: there is room for the name of the diamond, its plus and the number of calls. */
export const SUB_NODE_DROP = 112;
/** How far sub-nodes stand from each other in their row, so that their names have room. */
export const SUB_NODE_STEP = 144;
/** The name and the line under it stand below a node, and are wider than it is. */
export const LABEL_WIDTH = 168;
export const LABEL_HEIGHT = 56;

export interface Point {
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

/** How a node is drawn: its name is inside of a wide one, and below the others. */
export type NodeBody = "square" | "wide" | "circle" | "pill";

export function nodeBody(ports: Ports): NodeBody {
  if (ports.shape === "circle") return ports.isWide ? "pill" : "circle";
  return ports.isWide ? "wide" : "square";
}

export function hasLabelBelow(ports: Ports): boolean {
  const body = nodeBody(ports);
  return body === "square" || body === "circle";
}

/** Where a node's box begins on the canvas; whatever a document holds, it is a place. */
export function toCanvas(position: readonly [number, number] | undefined): Point {
  const [x, y] = Array.isArray(position) ? position : [0, 0];
  return { x: finite(x), y: finite(y) };
}

/** The position to save for a box that begins here. */
export function toDocument(point: Point): [number, number] {
  return [Math.round(point.x), Math.round(point.y)];
}

export function snap(point: Point): Point {
  return { x: Math.round(point.x / GRID) * GRID, y: Math.round(point.y / GRID) * GRID };
}

/** How large a node is drawn, without the name below it. */
export function nodeSize(ports: Ports): Size {
  const body = nodeBody(ports);
  if (body === "circle") return { width: SUB_NODE_SIZE, height: SUB_NODE_SIZE };
  const width = body === "square" ? NODE_SIZE : wideWidth(ports);
  if (body === "pill") return { width, height: SUB_NODE_SIZE };
  const beside = Math.max(flowPorts(ports.inputs).length, flowPorts(ports.outputs).length);
  return { width, height: NODE_SIZE + Math.max(0, beside - 2) * PORT_STEP };
}

/** The box that a node takes with the name below it, from the corner of its own. */
export function occupiedBox(ports: Ports): Point & Size {
  const { width, height } = nodeSize(ports);
  if (!hasLabelBelow(ports)) return { x: 0, y: 0, width, height };
  const x = Math.min(0, (width - LABEL_WIDTH) / 2);
  return { x, y: 0, width: width - 2 * x, height: height + LABEL_HEIGHT };
}

function wideWidth(ports: Ports): number {
  return WIDE_NODE_WIDTH + Math.max(0, supplyPorts(ports.inputs).length - MAX_SLOTS) * SLOT_STEP;
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
  const beside = isVertical ? supplyPorts(all) : flowPorts(all);
  const at = Math.max(
    0,
    beside.findIndex((other) => other.kind === port.kind && other.index === port.index),
  );
  if (!isVertical) {
    const middle = size.height / 2 + (at - (beside.length - 1) / 2) * PORT_STEP;
    return { x: side === "input" ? 0 : size.width, y: middle };
  }
  // What a node needs hangs below it; what it gives leaves at its top.
  if (side === "output") return { x: (size.width * (at + 1)) / (beside.length + 1), y: 0 };
  return { x: slotPosition(beside, at, size.width), y: size.height };
}

/** The place of an input below a wide node. Where there are few, a gap parts those that are required from the others. */
function slotPosition(beside: readonly Port[], at: number, width: number): number {
  if (width < WIDE_NODE_WIDTH) return (width * (at + 1)) / (beside.length + 1);
  const isFew = beside.length <= FEW_SLOTS;
  const slots = isFew ? FEW_SLOTS : beside.length;
  const isOptional = !beside[at]?.required && beside.some((port) => port.required);
  const slot = isOptional ? slots - beside.length + at : at;
  return width / 2 + (slot - (slots - 1) / 2) * (isFew ? FEW_SLOTS_STEP : SLOT_STEP);
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

export const NOTE_WIDTH = 240;
export const NOTE_HEIGHT = 160;

/** The size of a note: n8n keeps it in its parameters. */
export function noteSize(node: WorkflowNode): Size {
  return {
    width: dimension(node.parameters.width, NOTE_WIDTH),
    height: dimension(node.parameters.height, NOTE_HEIGHT),
  };
}

function flowPorts(ports: readonly Port[]): Port[] {
  return ports.filter((port) => port.kind === MAIN || !isSubNodeKind(port.kind));
}

function supplyPorts(ports: readonly Port[]): Port[] {
  return ports.filter((port) => isSubNodeKind(port.kind));
}

function dimension(value: unknown, otherwise: number): number {
  return typeof value === "number" && value > 0 ? Math.min(value, 20_000) : otherwise;
}

function finite(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
