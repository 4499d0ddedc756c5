/** Puts nodes in order: items flow from left to right, sub-nodes hang in rows below the node they serve, notes stay around what they describe. */
import { layout as dagre, graphlib } from "@dagrejs/dagre";
import type { Edge, WorkflowDocument, WorkflowNode } from "../api/workflowDocument";
import { orderBranches } from "./branchOrder";
import { STICKY_NOTE } from "./document";
import { documentPorts } from "./documentPorts";
import { edgesOf } from "./edges";
import {
  nodeSize,
  noteSize,
  occupiedBox,
  type Point,
  type Size,
  SUB_NODE_DROP,
  SUB_NODE_STEP,
  snap,
  toCanvas,
  toDocument,
} from "./geometry";
import { isSubNodeKind, type Ports } from "./ports";
import type { TypeLookup } from "./typeSpec";

const COLUMN_GAP = 56;
const ROW_GAP = 0;

/** Positions for the nodes named, or for all; a note moves with the nodes that lie on it. */
export function arrangeNodes(
  document: WorkflowDocument,
  types: TypeLookup,
  only?: ReadonlySet<string>,
): Map<string, [number, number]> {
  const edges = edgesOf(document);
  const nodes = document.nodes.filter(
    (node) => node.type !== STICKY_NOTE && (!only || only.has(node.name)),
  );
  const positions = new Map<string, [number, number]>();
  if (nodes.length === 0) return positions;
  const all = documentPorts(document, types);
  const ports = new Map(
    nodes.flatMap(({ name }) => {
      const own = all.get(name);
      return own ? [[name, own] as const] : [];
    }),
  );
  const clusters = new Clusters(ports, edges);
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: ROW_GAP, ranksep: COLUMN_GAP, edgesep: 24 });
  graph.setDefaultEdgeLabel(() => ({}));
  const roots = nodes.filter((node) => !clusters.isSubNode(node.name));
  for (const node of roots) graph.setNode(node.name, clusters.roomFor(node.name));
  const flow = edges.filter(
    (edge) => !isSubNodeKind(edge.kind) && graph.hasNode(edge.from) && graph.hasNode(edge.to),
  );
  for (const [at, edge] of forwardEdges(roots, flow).entries()) {
    graph.setEdge(edge.from, edge.to, { weight: edge.output === 0 ? 2 : 1 }, String(at));
  }
  dagre(graph, { customOrder: orderBranches });
  const corners = new Map<string, Point>();
  for (const node of roots) {
    const { x, y } = graph.node(node.name) as Point;
    clusters.placeCluster(
      node.name,
      { x: x - clusters.width(node.name) / 2, y: y - clusters.ownSize(node.name).height / 2 },
      corners,
    );
  }
  const shift = layoutShift(nodes, corners);
  for (const node of nodes) {
    const corner = corners.get(node.name);
    if (!corner) continue;
    positions.set(node.name, toDocument(snap({ x: corner.x + shift.x, y: corner.y + shift.y })));
  }
  for (const note of document.nodes.filter((node) => node.type === STICKY_NOTE)) {
    const moved = moveNote(note, nodes, positions);
    if (moved) positions.set(note.name, moved);
  }
  return positions;
}

/** Edges without those that lead back: they are drawn around the nodes and must not push any of them out of its row. */
function forwardEdges(nodes: readonly WorkflowNode[], edges: readonly Edge[]): Edge[] {
  const leaving = new Map<string, Edge[]>();
  const entered = new Set(edges.map((edge) => edge.to));
  for (const edge of edges) leaving.set(edge.from, [...(leaving.get(edge.from) ?? []), edge]);
  const state = new Map<string, "open" | "done">();
  const kept: Edge[] = [];
  const starts = [...nodes.filter((node) => !entered.has(node.name)), ...nodes];
  for (const start of starts) {
    // Depth first without recursion, because a chain may be longer than the stack is deep.
    const path: { name: string; at: number }[] = [];
    const enter = (name: string) => {
      state.set(name, "open");
      path.push({ name, at: 0 });
    };
    if (!state.has(start.name)) enter(start.name);
    for (let last = path.at(-1); last; last = path.at(-1)) {
      const edge = leaving.get(last.name)?.[last.at++];
      if (!edge) {
        state.set(last.name, "done");
        path.pop();
        continue;
      }
      if (state.get(edge.to) === "open") continue;
      kept.push(edge);
      if (!state.has(edge.to)) enter(edge.to);
    }
  }
  return kept;
}

/** A node and the tree of sub-nodes below it, laid out as one box. */
class Clusters {
  private readonly below = new Map<string, string[]>();
  private readonly subNodes = new Set<string>();
  private readonly widths = new Map<string, number>();

  constructor(
    private readonly ports: ReadonlyMap<string, Ports>,
    edges: readonly Edge[],
  ) {
    const order = (edge: Edge) =>
      ports
        .get(edge.to)
        ?.inputs.findIndex((port) => port.kind === edge.kind && port.index === edge.input) ?? 0;
    const supplies = edges.filter(
      (edge) => isSubNodeKind(edge.kind) && ports.has(edge.from) && ports.has(edge.to),
    );
    for (const edge of [...supplies].sort((one, other) => order(one) - order(other))) {
      // A sub-node that serves several hangs below the first; a circle of suppliers must not hang below itself.
      if (
        this.subNodes.has(edge.from) ||
        ports.get(edge.from)?.shape !== "circle" ||
        this.isBelow(edge.to, edge.from)
      )
        continue;
      this.subNodes.add(edge.from);
      this.below.set(edge.to, [...(this.below.get(edge.to) ?? []), edge.from]);
    }
  }

  isSubNode(name: string): boolean {
    return this.subNodes.has(name);
  }

  /** As much room above the card as its sub-nodes take below: then the cards of a row stand at one height, with or without them. */
  roomFor(name: string): Size {
    const { width, height } = this.sizeOf(name);
    return { width, height: 2 * height - this.ownSize(name).height };
  }

  private sizeOf(name: string): Size {
    const children = this.below.get(name) ?? [];
    const heights = children.map((child) => SUB_NODE_DROP + this.sizeOf(child).height);
    const own = this.ports.get(name);
    return {
      width: this.width(name),
      height: Math.max(
        own ? occupiedBox(own).height : 0,
        this.ownSize(name).height + Math.max(0, ...heights),
      ),
    };
  }

  /** Puts the node in the middle above its sub-nodes. */
  placeCluster(name: string, corner: Point, corners: Map<string, Point>) {
    const own = this.ownSize(name);
    const width = this.width(name);
    const children = this.below.get(name) ?? [];
    const row = children.reduce((sum, child) => sum + this.width(child), 0);
    corners.set(name, { x: corner.x + (width - own.width) / 2, y: corner.y });
    let x = corner.x + (width - row) / 2;
    for (const child of children) {
      this.placeCluster(child, { x, y: corner.y + own.height + SUB_NODE_DROP }, corners);
      x += this.width(child);
    }
  }

  width(name: string): number {
    const known = this.widths.get(name);
    if (known !== undefined) return known;
    const row = (this.below.get(name) ?? []).reduce((sum, child) => sum + this.width(child), 0);
    const width = Math.max(this.ownWidth(name), row);
    this.widths.set(name, width);
    return width;
  }

  private ownWidth(name: string): number {
    const ports = this.ports.get(name);
    if (!ports) return 0;
    return ports.shape === "circle"
      ? Math.max(SUB_NODE_STEP, nodeSize(ports).width + 32)
      : occupiedBox(ports).width;
  }

  ownSize(name: string): Size {
    const ports = this.ports.get(name);
    return ports ? nodeSize(ports) : { width: 0, height: 0 };
  }

  private isBelow(name: string, above: string): boolean {
    return (
      name === above || (this.below.get(above) ?? []).some((child) => this.isBelow(name, child))
    );
  }
}

/** The whole keeps its upper left corner, so that the eye finds it again. */
function layoutShift(nodes: readonly WorkflowNode[], corners: ReadonlyMap<string, Point>): Point {
  const before = nodes.map((node) => toCanvas(node.position));
  const after = [...corners.values()];
  const least = (points: readonly Point[], axis: "x" | "y") =>
    Math.min(...points.map((point) => point[axis]));
  return { x: least(before, "x") - least(after, "x"), y: least(before, "y") - least(after, "y") };
}

/** Where a note goes: as far as the nodes that lie on it have gone on average. */
function moveNote(
  note: WorkflowNode,
  nodes: readonly WorkflowNode[],
  positions: ReadonlyMap<string, [number, number]>,
): [number, number] | null {
  const size = noteSize(note);
  const [left, top] = note.position;
  const isOn = (node: WorkflowNode) =>
    node.position[0] >= left &&
    node.position[0] <= left + size.width &&
    node.position[1] >= top &&
    node.position[1] <= top + size.height;
  const lying = nodes.filter(isOn);
  if (lying.length === 0) return null;
  const least = (axis: 0 | 1) => {
    const before = Math.min(...lying.map((node) => node.position[axis]));
    const after = Math.min(
      ...lying.map((node) => (positions.get(node.name) ?? node.position)[axis]),
    );
    return after - before;
  };
  return [left + least(0), top + least(1)];
}
