/** The ports of every node of a document, and which connections touch each of them. */

import type { Edge, WorkflowDocument } from "../api/workflowDocument";
import { STICKY_NOTE } from "./document";
import { edgesOf } from "./edges";
import { type Ports, portsOf } from "./ports";
import type { TypeLookup } from "./typeSpec";

/** The connections that begin or end at each node. */
export function edgesByNode(edges: readonly Edge[]): Map<string, Edge[]> {
  const touching = new Map<string, Edge[]>();
  for (const edge of edges) {
    for (const name of edge.from === edge.to ? [edge.from] : [edge.from, edge.to]) {
      const list = touching.get(name);
      if (list) list.push(edge);
      else touching.set(name, [edge]);
    }
  }
  return touching;
}

/** Notes have no ports and are left out. */
export function documentPorts(document: WorkflowDocument, types: TypeLookup): Map<string, Ports> {
  const touching = edgesByNode(edgesOf(document));
  const nodes = document.nodes.filter((node) => node.type !== STICKY_NOTE);
  return new Map(
    nodes.map((node) => [node.name, portsOf(node, types, touching.get(node.name) ?? [])]),
  );
}
