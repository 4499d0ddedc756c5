/** Adding a node: where it goes, how it is connected, and what it begins with. */

import type { Edge, WorkflowDocument, WorkflowNode } from "../api/workflowDocument";
import { type ConnectionEnd, replacedEdges } from "./connectionRules";
import { addNode, connect, disconnect, findNode, moveNodes, uniqueName } from "./document";
import { descendants, edgesOf, MAIN } from "./edges";
import {
  CARD_HEIGHT,
  CARD_WIDTH,
  nodeSize,
  type Point,
  portPosition,
  SUB_NODE_DROP,
  toCanvas,
  toDocument,
} from "./geometry";
import { newId } from "./nodeNames";
import { isSubNodeKind, type Ports, portsOf } from "./ports";
import type { TypeLookup, TypeSpec } from "./typeSpec";

/** Free room between a node and the next. */
const GAP = 80;
/** How far apart nodes stand that were added from one place. */
const ROW = 104;

export interface InsertTarget {
  /** The port from which it was added. */
  from?: ConnectionEnd;
  /** The connection that it is put into. */
  edge?: Edge;
  /** The middle of the place on the canvas that was pointed at. */
  at?: Point;
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
  const isCircle = ports.shape === "circle";
  const lookup = (node: string) => {
    const found = findNode(document, node);
    return (
      found &&
      portsOf(
        found,
        types,
        edgesOf(document).filter((edge) => edge.from === node || edge.to === node),
      )
    );
  };
  const size = nodeSize(ports);
  const corner = place.at
    ? { x: place.at.x - size.width / 2, y: place.at.y - size.height / 2 }
    : findPosition(document, place, positionBeside(document, lookup, place, ports));
  let result = addNode(document, { ...draft, position: toDocument(corner, isCircle) });
  if (place.edge) result = splitEdge(result, place.edge, name, ports, size.width + GAP);
  else if (place.from) result = connectNew(result, lookup, place.from, name, ports);
  return { document: result, name };
}

/** Into a connection a node goes at its place, because what follows makes room; elsewhere it must not cover another. */
function findPosition(document: WorkflowDocument, place: InsertTarget, wanted: Point): Point {
  return place.edge ? wanted : findFreeSpot(document, wanted);
}

/** The port at which the new node will hang, if there is one. */
function startPort(place: InsertTarget): ConnectionEnd | null {
  if (place.from) return place.from;
  return place.edge
    ? { node: place.edge.from, side: "output", kind: place.edge.kind, index: place.edge.output }
    : null;
}

/** Puts a node that is there already into a connection. */
export function splitEdge(
  document: WorkflowDocument,
  edge: Edge,
  name: string,
  ports: Ports,
  room: number,
): WorkflowDocument {
  const input = ports.inputs.find((port) => port.kind === edge.kind);
  const output = ports.outputs.find((port) => port.kind === edge.kind && !port.isError);
  if (!input) return document;
  let result = disconnect(document, edge);
  result = connect(result, { ...edge, to: name, input: input.index });
  if (output) result = connect(result, { ...edge, from: name, output: output.index });
  return room > 0 ? makeRoom(moveAwayFrom(result, edge.from, name), edge.to, name, room) : result;
}

/** Moves a node to the right if it would cover the one before it. */
function moveAwayFrom(document: WorkflowDocument, before: string, name: string): WorkflowDocument {
  const source = findNode(document, before);
  const node = findNode(document, name);
  if (!source || !node) return document;
  const [from, at] = [toCanvas(source.position), toCanvas(node.position)];
  const isClear =
    at.x >= from.x + CARD_WIDTH + GAP / 2 || Math.abs(at.y - from.y) > CARD_HEIGHT + 16;
  return isClear
    ? document
    : moveNodes(document, new Map([[name, toDocument({ x: from.x + CARD_WIDTH + GAP, y: at.y })]]));
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
  const missing = toCanvas(added.position).x + room - toCanvas(following.position).x;
  if (missing <= 0) return document;
  const moved = new Map<string, readonly [number, number]>();
  const [shift] = toDocument({ x: missing, y: 0 });
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

/** Where a node goes that was added from a port: after it, before it, or below the diamond. */
function positionBeside(
  document: WorkflowDocument,
  lookup: (name: string) => Ports | undefined,
  place: InsertTarget,
  ports: Ports,
): Point {
  const size = nodeSize(ports);
  const end = startPort(place);
  const other = end && findNode(document, end.node);
  const otherPorts = end && lookup(end.node);
  if (!end || !other || !otherPorts) return rightOfAll(document, ports);
  const corner = toCanvas(other.position, otherPorts.shape === "circle");
  const otherSize = nodeSize(otherPorts);
  const port = (end.side === "input" ? otherPorts.inputs : otherPorts.outputs).find(
    (one) => one.kind === end.kind && one.index === end.index,
  );
  const at = port
    ? portPosition(otherPorts, end.side, port, otherSize)
    : { x: otherSize.width, y: otherSize.height / 2 };
  if (isSubNodeKind(end.kind)) {
    const y =
      end.side === "input"
        ? corner.y + otherSize.height + SUB_NODE_DROP
        : corner.y - size.height - SUB_NODE_DROP;
    return { x: corner.x + at.x - size.width / 2, y };
  }
  const isMany = otherPorts.outputs.filter((one) => one.kind === MAIN).length > 1;
  const y = isMany
    ? corner.y + at.y - size.height / 2 + branchOffset(otherPorts, end)
    : corner.y + (otherSize.height - size.height) / 2;
  return {
    x: end.side === "output" ? corner.x + otherSize.width + GAP : corner.x - size.width - GAP,
    y,
  };
}

/** The branches of a node with several outputs spread above and below it. */
function branchOffset(ports: Ports, end: ConnectionEnd): number {
  const mains = ports.outputs.filter((port) => port.kind === MAIN);
  const at = mains.findIndex((port) => port.index === end.index);
  return (at - (mains.length - 1) / 2) * (ROW - 28);
}

/** To the right of everything, for a node that was added without a place. */
function rightOfAll(document: WorkflowDocument, ports: Ports): Point {
  const cards = document.nodes.filter((node) => !node.type.endsWith(".stickyNote"));
  if (cards.length === 0) return { x: 0, y: 0 };
  if (ports.shape === "trigger") {
    const left = Math.min(...cards.map((node) => toCanvas(node.position).x));
    const bottom = Math.max(...cards.map((node) => toCanvas(node.position).y));
    return { x: left, y: bottom + ROW };
  }
  const last = cards.reduce((one, other) => (other.position[0] > one.position[0] ? other : one));
  const corner = toCanvas(last.position);
  return { x: corner.x + CARD_WIDTH + GAP, y: corner.y };
}

/** The first free place at or below a point, so that a new node never covers another. */
export function findFreeSpot(document: WorkflowDocument, corner: Point): Point {
  const boxes = document.nodes
    .filter((node) => !node.type.endsWith(".stickyNote"))
    .map((node) => toCanvas(node.position));
  let { x, y } = corner;
  for (let tries = 0; tries < 200; tries++) {
    const isTaken = boxes.some(
      (box) => Math.abs(box.x - x) < CARD_WIDTH - 8 && Math.abs(box.y - y) < CARD_HEIGHT + 16,
    );
    if (!isTaken) break;
    y += ROW;
  }
  return { x, y };
}

/** What a new node needs to be of use where it was put; everything else is its default, which is not saved. */
function startParameters(
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
  const isCalled = spec.trigger === "webhook" || spec.trigger === "form" || spec.trigger === "chat";
  return isCalled || (spec.resumedBy?.length ?? 0) > 0;
}
