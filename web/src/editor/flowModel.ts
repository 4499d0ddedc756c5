/**
 * Turns a document into what the drawing library shows. What did not change is the same object as before, so that one changed node
 * of a thousand is one node drawn again.
 */
import type { Edge as FlowEdge, Node as FlowNode, NodeHandle, Position } from "@xyflow/react";
import type { Edge, WorkflowDocument, WorkflowNode } from "../api/workflowDocument";
import { STICKY_NOTE } from "../graph/document";
import { edgesByNode } from "../graph/documentPorts";
import { edgeKey, edgesOf } from "../graph/edges";
import {
  handleId,
  nodeSize,
  noteSize,
  occupiedBox,
  portPosition,
  type Size,
  toCanvas,
} from "../graph/geometry";
import { isSubNodeKind, type Port, type Ports, portsOf } from "../graph/ports";
import { subtitleOf } from "../graph/subtitle";
import type { TypeLookup, TypeSpec } from "../graph/typeSpec";
import { type Box, boxAround, overlaps } from "../graph/viewRegion";

export type CardData = {
  node: WorkflowNode;
  ports: Ports;
  size: Size;
  spec: TypeSpec | undefined;
  subtitle: string;
  /** How many items are pinned; `null` if none are. */
  pinned: number | null;
  /** Handles that have a connection. */
  taken: ReadonlySet<string>;
};

export type NoteData = { node: WorkflowNode; size: Size };
export type CardNode = FlowNode<CardData, "card">;
export type NoteNode = FlowNode<NoteData, "note">;
export type CanvasNode = CardNode | NoteNode;
export type EdgeData = { edge: Edge; below: number };
export type CanvasEdge = FlowEdge<EdgeData, "flow" | "supply">;

/**
 * A node at a place. It stands there by `left` and `top`: a thousand transforms would be a thousand parts for the browser to put
 * together in every frame of a pan, which costs more than all of our own work.
 */
export function withPosition<T extends CanvasNode>(node: T, position: { x: number; y: number }): T {
  return {
    ...node,
    position,
    style: { ...node.style, transform: "none", left: position.x, top: position.y },
  };
}

/** The nodes after they were moved by the library, each with its style where its position says. */
export function withPositionStyles(nodes: CanvasNode[]): CanvasNode[] {
  const isPlaced = ({ position, style }: CanvasNode) =>
    style?.left === position.x && style.top === position.y;
  return nodes.every(isPlaced)
    ? nodes
    : nodes.map((node) => (isPlaced(node) ? node : withPosition(node, node.position)));
}

/** Where a node stands on the canvas. */
export function nodeBox(node: CanvasNode): Box {
  return { ...node.position, width: node.width ?? 0, height: node.height ?? 0 };
}

/**
 * What is drawn of a large document: lines that cross the region, the nodes in it, at the ends of those lines, and those that are chosen,
 * because they are moved together. Without a region it is all.
 */
export function cullToRegion(
  region: Box | null,
  nodes: CanvasNode[],
  edges: CanvasEdge[],
): { nodes: CanvasNode[]; edges: CanvasEdge[] } {
  if (!region) return { nodes, edges };
  const boxes = new Map(nodes.map((node) => [node.id, nodeBox(node)]));
  const crossing = edges.filter(({ source, target }) => {
    const around = boxAround(
      [boxes.get(source), boxes.get(target)].filter((box) => box !== undefined),
    );
    return around !== null && overlaps(around, region);
  });
  const ends = new Set(crossing.flatMap(({ source, target }) => [source, target]));
  const isDrawn = (node: CanvasNode) =>
    node.selected ||
    node.dragging ||
    ends.has(node.id) ||
    overlaps(boxes.get(node.id) as Box, region);
  return { nodes: nodes.filter(isDrawn), edges: crossing };
}

/** Gives back the list that it gave before as long as all in it is the same, so that nobody has to look at it again. */
export function createStableList<T>(): (list: T[]) => T[] {
  let kept: T[] = [];
  return (list) => {
    if (kept.length !== list.length || kept.some((one, index) => one !== list[index])) kept = list;
    return kept;
  };
}

/** Lines bend this far beyond the nodes that they join. */
const EDGE_MARGIN = 200;
/** Where the library puts the surface of every line, however far from it the line is. */
const ORIGIN: Box = { x: 0, y: 0, width: 1, height: 1 };

/** The bounds of everything that can be drawn: every node and edge, whether drawn right now or not, and the origin. */
export function backgroundBounds(nodes: readonly CanvasNode[]): Box {
  const around =
    boxAround([ORIGIN, ...nodes.filter((node) => !node.dragging).map(nodeBox)]) ?? ORIGIN;
  return {
    x: around.x - EDGE_MARGIN,
    y: around.y - EDGE_MARGIN,
    width: around.width + 2 * EDGE_MARGIN,
    height: around.height + 2 * EDGE_MARGIN,
  };
}

interface KnownNode {
  node: WorkflowNode;
  touching: string;
  pinned: number | null;
  drawn: CanvasNode;
}

const HANDLE = 12;
const NO_EDGES: readonly Edge[] = [];

export class FlowModel {
  private known = new Map<string, KnownNode>();
  private edges = new Map<string, CanvasEdge>();
  private types: TypeLookup | null = null;

  /** The drawn form of a document. Connections that lead nowhere are left out; the check of the document tells of them. */
  build(
    document: WorkflowDocument,
    types: TypeLookup,
  ): { nodes: CanvasNode[]; edges: CanvasEdge[]; ports: Map<string, Ports> } {
    if (types !== this.types) this.known.clear();
    this.types = types;
    const names = new Set(document.nodes.map((node) => node.name));
    const all = edgesOf(document).filter((edge) => names.has(edge.from) && names.has(edge.to));
    const touching = edgesByNode(all);
    const known = new Map<string, KnownNode>();
    const ports = new Map<string, Ports>();
    const nodes = document.nodes.map((node) => {
      const around = touching.get(node.name) ?? NO_EDGES;
      const key = around
        .map(
          (edge) => `${edge.kind}${edge.from === node.name ? `>${edge.output}` : `<${edge.input}`}`,
        )
        .join();
      const pinned = document.pinData?.[node.name]?.length ?? null;
      const before = this.known.get(node.name);
      const isSame =
        before && before.node === node && before.touching === key && before.pinned === pinned;
      const drawn = isSame
        ? before.drawn
        : withOwnPosition(toCanvasNode(node, types, around, pinned));
      known.set(node.name, isSame ? before : { node, touching: key, pinned, drawn });
      if (drawn.type !== "note") ports.set(node.name, (drawn as CardNode).data.ports);
      return drawn;
    });
    this.known = known;
    return { nodes, edges: this.lines(all, known), ports };
  }

  private lines(all: readonly Edge[], known: ReadonlyMap<string, KnownNode>): CanvasEdge[] {
    const edges = new Map<string, CanvasEdge>();
    for (const edge of all) {
      const id = edgeKey(edge);
      const below = Math.max(bottomBelowPort(known, edge.from), bottomBelowPort(known, edge.to));
      const before = this.edges.get(id);
      edges.set(
        id,
        before && before.data?.below === below ? before : toCanvasEdge(id, edge, below),
      );
    }
    this.edges = edges;
    return [...edges.values()];
  }
}

function withOwnPosition(node: CanvasNode): CanvasNode {
  return withPosition(node, node.position);
}

/** How far a node reaches below the middle of its sides, where its ports are, with its name. */
function bottomBelowPort(known: ReadonlyMap<string, KnownNode>, name: string): number {
  const drawn = known.get(name)?.drawn;
  if (!drawn || drawn.type === "note") return 0;
  return occupiedBox(drawn.data.ports).height - (drawn.height ?? 0) / 2;
}

function toCanvasEdge(id: string, edge: Edge, below: number): CanvasEdge {
  return {
    id,
    type: isSubNodeKind(edge.kind) ? "supply" : "flow",
    source: edge.from,
    target: edge.to,
    sourceHandle: handleId("output", { kind: edge.kind, index: edge.output }),
    targetHandle: handleId("input", { kind: edge.kind, index: edge.input }),
    data: { edge, below },
    ariaLabel: `Connection from ${edge.from} to ${edge.to}`,
  };
}

function toCanvasNode(
  node: WorkflowNode,
  types: TypeLookup,
  edges: readonly Edge[],
  pinned: number | null,
): CanvasNode {
  if (node.type === STICKY_NOTE) {
    const size = noteSize(node);
    return {
      id: node.name,
      type: "note",
      position: toCanvas(node.position),
      width: size.width,
      height: size.height,
      measured: size,
      zIndex: -1,
      data: { node, size },
      ariaLabel: `Note ${node.name}`,
    };
  }
  const ports = portsOf(node, types, edges);
  const size = nodeSize(ports);
  const spec = types.find(node.type, node.typeVersion) ?? types.find(node.type);
  const taken = new Set<string>();
  for (const edge of edges) {
    if (edge.from === node.name)
      taken.add(handleId("output", { kind: edge.kind, index: edge.output }));
    if (edge.to === node.name) taken.add(handleId("input", { kind: edge.kind, index: edge.input }));
  }
  return {
    id: node.name,
    type: "card",
    position: toCanvas(node.position),
    width: size.width,
    height: size.height,
    // Nodes out of sight are not in the page and cannot be measured, but the view and the map must know them.
    measured: size,
    handles: nodeHandles(ports, size),
    data: { node, ports, size, spec, subtitle: subtitleOf(node, spec), pinned, taken },
    ariaLabel: `${node.name}, ${spec?.name ?? `unknown type ${node.type}`}`,
  };
}

/** Where lines begin and end, known before anything is measured: lines are right in the first frame and off the screen. */
function nodeHandles(ports: Ports, size: Size): NodeHandle[] {
  const handle = (side: "input" | "output") => (port: Port) => {
    const place = portPosition(ports, side, port, size);
    return {
      id: handleId(side, port),
      type: side === "input" ? ("target" as const) : ("source" as const),
      position: handleSide(side, port),
      x: place.x - HANDLE / 2,
      y: place.y - HANDLE / 2,
      width: HANDLE,
      height: HANDLE,
    };
  };
  return [...ports.inputs.map(handle("input")), ...ports.outputs.map(handle("output"))];
}

export function handleSide(side: "input" | "output", port: { kind: string }): Position {
  const name = isSubNodeKind(port.kind)
    ? side === "input"
      ? "bottom"
      : "top"
    : side === "input"
      ? "left"
      : "right";
  return name as Position;
}
