/** Adding a node: where it goes, how it is connected, and what it begins with. */

import type { Edge, WorkflowDocument, WorkflowNode } from "../api/workflowDocument";
import { type ConnectionEnd, replacedEdges } from "./connectionRules";
import { addNode, connect, disconnect, findNode, moveNodes, uniqueName } from "./document";
import { documentPorts } from "./documentPorts";
import { descendants, edgesOf, MAIN } from "./edges";
import { type FreeSpotSearch, findFreeSpot } from "./freeSpot";
import {
  nodeSize,
  occupiedBox,
  type Point,
  type Size,
  SUB_NODE_DROP,
  SUB_NODE_STEP,
  snap,
  toCanvas,
  toDocument,
} from "./geometry";
import { newId } from "./nodeNames";
import { isSubNodeKind, type Ports, portsOf } from "./ports";
import type { TypeLookup, TypeSpec } from "./typeSpec";

/** Free room between a node and the next. */
export const NODE_GAP = 128;
/** How far apart nodes stand that were added from one place. */
const ROW = 160;

export interface InsertTarget {
  /** The port from which it was added. */
  from?: ConnectionEnd;
  /** The connection that it is put into. */
  edge?: Edge;
  /** The middle of the place on the canvas that was pointed at. */
  at?: Point;
  /** Without any other place: the middle of what is in sight, where nothing must be covered. */
  near?: Point;
}

export interface InsertResult {
  document: WorkflowDocument;
  name: string;
}

/** Adds a node of a type and connects it as its place asks. */
export function insertNode(
  document: WorkflowDocument,
  types: TypeLookup,
  spec: TypeSpec,
  place: InsertTarget,
): InsertResult {
  const wanted = startPort(place);
  const name = uniqueName(document, spec.name);
  const parameters = startParameters(spec, wanted);
  const draft: WorkflowNode = {
    parameters,
    id: newId(),
    name,
    type: spec.id,
    typeVersion: Math.max(...spec.versions),
    position: [0, 0],
    ...(hasOwnUrl(spec)
      ? { webhookId: typeof parameters.path === "string" ? parameters.path : newId() }
      : {}),
  };
  const ports = portsOf(draft, types, []);
  const around = documentPorts(document, types);
  const corner = toDocument(snap(findCorner(document, around, place, ports)));
  let result = addNode(document, { ...draft, position: corner });
  if (place.edge)
    result = splitEdge(result, types, place.edge, name, nodeSize(ports).width + NODE_GAP);
  else if (place.from)
    result = connectNew(result, (node) => around.get(node), place.from, name, ports);
  return { document: result, name };
}

function findCorner(
  document: WorkflowDocument,
  around: ReadonlyMap<string, Ports>,
  place: InsertTarget,
  ports: Ports,
): Point {
  if (place.at) return centered(place.at, nodeSize(ports));
  const wanted = positionBeside(document, around, place, ports);
  // Into a connection a node goes at its place, because what follows makes room; elsewhere it must not cover another.
  if (place.edge) return wanted;
  const isSubNode = place.from?.side === "input" && isSubNodeKind(place.from.kind);
  const search: FreeSpotSearch = isSubNode
    ? { step: { x: SUB_NODE_STEP, y: 0 }, body: nodeSize(ports) }
    : { step: { x: 0, y: ROW }, body: occupiedBox(ports) };
  return findFreeSpot(document, around, wanted, search);
}

function centered(middle: Point, { width, height }: Size): Point {
  return { x: middle.x - width / 2, y: middle.y - height / 2 };
}

/** The port at which the new node will hang, if there is one. */
function startPort(place: InsertTarget): ConnectionEnd | null {
  if (place.from) return place.from;
  return place.edge
    ? { node: place.edge.from, side: "output", kind: place.edge.kind, index: place.edge.output }
    : null;
}

/** Puts a node that is there already into a connection; what follows moves away by `room`. */
export function splitEdge(
  document: WorkflowDocument,
  types: TypeLookup,
  edge: Edge,
  name: string,
  room: number,
): WorkflowDocument {
  const around = documentPorts(document, types);
  const ports = around.get(name);
  const input = ports?.inputs.find((port) => port.kind === edge.kind);
  const output = ports?.outputs.find((port) => port.kind === edge.kind && !port.isError);
  if (!input) return document;
  let result = disconnect(document, edge);
  result = connect(result, { ...edge, to: name, input: input.index });
  if (output) result = connect(result, { ...edge, from: name, output: output.index });
  return room > 0
    ? makeRoom(moveAwayFrom(result, around, edge.from, name), edge.to, name, room)
    : result;
}

/** Moves a node to the right if it would cover the one before it. */
function moveAwayFrom(
  document: WorkflowDocument,
  around: ReadonlyMap<string, Ports>,
  before: string,
  name: string,
): WorkflowDocument {
  const source = findNode(document, before);
  const node = findNode(document, name);
  const ports = around.get(before);
  if (!source || !node || !ports) return document;
  const [from, at, size] = [toCanvas(source.position), toCanvas(node.position), nodeSize(ports)];
  const end = from.x + size.width;
  const isClear = at.x >= end + NODE_GAP / 2 || Math.abs(at.y - from.y) > size.height + 16;
  return isClear
    ? document
    : moveNodes(document, new Map([[name, toDocument({ x: end + NODE_GAP, y: at.y })]]));
}

/** Moves what follows to the right, if it stands where the new node needs room. */
function makeRoom(
  document: WorkflowDocument,
  next: string,
  name: string,
  room: number,
): WorkflowDocument {
  const added = findNode(document, name);
  const following = findNode(document, next);
  if (!added || !following) return document;
  const shift = added.position[0] + room - following.position[0];
  if (shift <= 0) return document;
  const moved = new Map<string, readonly [number, number]>();
  for (const other of [next, ...descendants(document, next)]) {
    const node = findNode(document, other);
    if (!node || other === name || node.position[0] < following.position[0]) continue;
    moved.set(other, [node.position[0] + shift, node.position[1]]);
  }
  for (const edge of edgesOf(document)) {
    const node =
      isSubNodeKind(edge.kind) && moved.has(edge.to) && !moved.has(edge.from)
        ? findNode(document, edge.from)
        : null;
    if (node) moved.set(edge.from, [node.position[0] + shift, node.position[1]]);
  }
  return moveNodes(document, moved);
}

function connectNew(
  document: WorkflowDocument,
  lookup: (name: string) => Ports | undefined,
  from: ConnectionEnd,
  name: string,
  ports: Ports,
): WorkflowDocument {
  if (from.side === "output") {
    const input = ports.inputs.find((port) => port.kind === from.kind);
    return input
      ? connect(document, {
          kind: from.kind,
          from: from.node,
          output: from.index,
          to: name,
          input: input.index,
        })
      : document;
  }
  const output = ports.outputs.find((port) => port.kind === from.kind);
  if (!output) return document;
  const edge = {
    kind: from.kind,
    from: name,
    output: output.index,
    to: from.node,
    input: from.index,
  };
  return connect(disconnect(document, ...replacedEdges(document, lookup, edge)), edge);
}

/** Where a node goes that was added from a port: after it, before it, or in the row below. */
function positionBeside(
  document: WorkflowDocument,
  around: ReadonlyMap<string, Ports>,
  place: InsertTarget,
  ports: Ports,
): Point {
  const size = nodeSize(ports);
  const end = startPort(place);
  const other = end && findNode(document, end.node);
  const otherPorts = end && around.get(end.node);
  if (!end || !other || !otherPorts)
    return place.near && ports.shape !== "trigger"
      ? centered(place.near, size)
      : rightOfAll(document, around, ports);
  const corner = toCanvas(other.position);
  const isSubNode = isSubNodeKind(end.kind);
  const otherSize = nodeSize(isSubNode ? { ...otherPorts, isWide: true } : otherPorts);
  if (isSubNode) {
    const middle = corner.x + otherSize.width / 2 + rowOffset(otherPorts, end);
    const y =
      end.side === "input"
        ? corner.y + otherSize.height + SUB_NODE_DROP
        : corner.y - size.height - SUB_NODE_DROP;
    return { x: middle - size.width / 2, y };
  }
  const y =
    corner.y +
    (otherSize.height - size.height) / 2 +
    (end.side === "output" ? branchOffset(otherPorts, end) : 0);
  return {
    x:
      end.side === "output"
        ? corner.x + otherSize.width + NODE_GAP
        : corner.x - size.width - NODE_GAP,
    y,
  };
}

/** Sub-nodes stand in a row in the order of their ports, its middle below the node they serve. */
function rowOffset(ports: Ports, end: ConnectionEnd): number {
  if (end.side === "output") return 0;
  const supplies = ports.inputs.filter((port) => isSubNodeKind(port.kind));
  const at = supplies.findIndex((port) => port.kind === end.kind && port.index === end.index);
  return (Math.max(0, at) - (supplies.length - 1) / 2) * SUB_NODE_STEP;
}

/** The branches of a node with several outputs spread above and below it. */
function branchOffset(ports: Ports, end: ConnectionEnd): number {
  const mains = ports.outputs.filter((port) => port.kind === MAIN);
  const at = mains.findIndex((port) => port.index === end.index);
  return (Math.max(0, at) - (mains.length - 1) / 2) * ROW;
}

/** To the right of everything, for a node that was added without a place; a trigger goes below the others. */
function rightOfAll(
  document: WorkflowDocument,
  around: ReadonlyMap<string, Ports>,
  ports: Ports,
): Point {
  const cards = document.nodes.filter((node) => around.has(node.name));
  if (cards.length === 0) return { x: 0, y: 0 };
  if (ports.shape === "trigger") {
    const left = Math.min(...cards.map((node) => toCanvas(node.position).x));
    const bottom = Math.max(...cards.map((node) => toCanvas(node.position).y));
    return { x: left, y: bottom + ROW };
  }
  const last = cards.reduce((one, other) => (other.position[0] > one.position[0] ? other : one));
  const corner = toCanvas(last.position);
  const lastPorts = around.get(last.name);
  return { x: corner.x + (lastPorts ? nodeSize(lastPorts).width : 0) + NODE_GAP, y: corner.y };
}

/** What a new node needs to be of use where it was put; everything else is its default, which is not saved. */
export function startParameters(
  spec: TypeSpec,
  wanted: { kind: string; side: string } | null,
): Record<string, unknown> {
  const output = wanted?.side === "input" ? wanted.kind : null;
  const found = spec.initial?.find((entry) => entry.output === null || entry.output === output);
  const fields = Object.entries(found?.params ?? {});
  return Object.fromEntries(
    fields.map(([name, value]) => [name, value === "{id}" ? newId() : structuredClone(value)]),
  );
}

/** Types that are reached at an address of their own. */
function hasOwnUrl(spec: TypeSpec): boolean {
  const isCalled = ["webhook", "form", "chat", "mcp"].includes(spec.trigger ?? "");
  return isCalled || (spec.resumedBy?.length ?? 0) > 0;
}
