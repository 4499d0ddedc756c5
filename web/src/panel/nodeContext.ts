/** Which nodes stand around one: whose data it sees, and where a step to the left or right leads. */

import type { Edge, WorkflowDocument } from "../api/workflowDocument";
import { STICKY_NOTE } from "../graph/document";
import { ancestors, edgesOf, MAIN } from "../graph/edges";
import { isSubNodeKind } from "../graph/ports";

export interface NodeContext {
  /** The connection that `$json` comes through; of several, the first. */
  direct: Edge | null;
  /** Every connection with items that leads straight to the node. */
  parents: Edge[];
  /** Nodes whose data can be used, nearest first. */
  before: string[];
  /** Where a step to the left or right leads; several where ways part or join. */
  previous: string[];
  next: string[];
  /** The step that runs when this node is tested: the node itself, or the one that it serves. */
  root: string;
  /** The node gives itself to an agent as a tool. */
  isTool: boolean;
}

export function getNodeContext(document: WorkflowDocument, name: string): NodeContext {
  const edges = edgesOf(document);
  const names = new Set(
    document.nodes.filter((node) => node.type !== STICKY_NOTE).map((node) => node.name),
  );
  const real = edges.filter((edge) => names.has(edge.from) && names.has(edge.to));
  const feeding = feedingNode(real, name);
  const parents = real
    .filter((edge) => edge.kind === MAIN && edge.to === feeding)
    .sort((one, other) => one.input - other.input);
  const before = ancestors(document, feeding).filter((node) => names.has(node) && node !== name);
  const served = unique(
    real.filter((edge) => isSubNodeKind(edge.kind) && edge.from === name).map((edge) => edge.to),
  );
  const mainInto = unique(
    real.filter((edge) => edge.kind === MAIN && edge.to === name).map((edge) => edge.from),
  );
  const mainOut = unique(
    real.filter((edge) => edge.kind === MAIN && edge.from === name).map((edge) => edge.to),
  );
  const suppliers = unique(
    real.filter((edge) => isSubNodeKind(edge.kind) && edge.to === name).map((edge) => edge.from),
  );
  return {
    direct: parents[0] ?? null,
    parents,
    before,
    previous: mainInto.length > 0 ? mainInto : suppliers,
    next: mainOut.length > 0 ? mainOut : served,
    root: rootOf(real, name),
    isTool: real.some((edge) => edge.kind === "ai_tool" && edge.from === name),
  };
}

/** A node that serves another one, such as a tool, sees the items of the node it serves. */
function feedingNode(edges: readonly Edge[], name: string): string {
  let at = name;
  const seen = new Set<string>();
  while (!seen.has(at)) {
    seen.add(at);
    if (edges.some((edge) => edge.kind === MAIN && edge.to === at)) return at;
    const up = edges.find((edge) => isSubNodeKind(edge.kind) && edge.from === at);
    if (!up) return at;
    at = up.to;
  }
  return name;
}

/** A node that only serves another one has no run of its own. */
function rootOf(edges: readonly Edge[], name: string): string {
  let at = name;
  const seen = new Set<string>();
  while (!seen.has(at)) {
    seen.add(at);
    const up = edges.find((edge) => isSubNodeKind(edge.kind) && edge.from === at);
    if (!up || edges.some((edge) => edge.kind === MAIN && (edge.to === at || edge.from === at)))
      return at;
    at = up.to;
  }
  return name;
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
