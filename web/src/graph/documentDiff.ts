/** What lies between two documents, for the colours of a version that is compared with the draft. */

import type { WorkflowDocument, WorkflowNode } from "../api/workflowDocument";
import { connect, edgeKey, edgesOf } from "./edges";

export type ChangeKind = "added" | "removed" | "changed" | "moved";

export interface DocumentDiff {
  /** By the name of the node, in whichever document has it; a renamed one under its later name. */
  nodes: ReadonlyMap<string, ChangeKind>;
  /** What changed in a node, in words. */
  details: ReadonlyMap<string, readonly string[]>;
  /** By key; only `added` and `removed`. */
  edges: ReadonlyMap<string, ChangeKind>;
  /** Both documents at once: the later one, with what it no longer has. */
  union: WorkflowDocument;
}

/** Compares two documents. Nodes are the same by id, or by name where one has none. */
export function diffDocuments(earlier: WorkflowDocument, later: WorkflowDocument): DocumentDiff {
  const nodes = new Map<string, ChangeKind>();
  const details = new Map<string, readonly string[]>();
  const before = new Map(earlier.nodes.map((node) => [nodeIdentity(node, later), node]));
  const renamed = new Map<string, string>();
  const stillThere = new Set<string>();
  for (const node of later.nodes) {
    const id = nodeIdentity(node, earlier);
    const old = before.get(id);
    if (!old) {
      nodes.set(node.name, "added");
      continue;
    }
    stillThere.add(id);
    if (old.name !== node.name) renamed.set(old.name, node.name);
    const changes = changedFields(old, node);
    if (changes.length > 0) {
      nodes.set(node.name, "changed");
      details.set(node.name, changes);
    } else if (
      old.position?.[0] !== node.position?.[0] ||
      old.position?.[1] !== node.position?.[1]
    ) {
      nodes.set(node.name, "moved");
    }
  }
  const gone = earlier.nodes.filter((node) => !stillThere.has(nodeIdentity(node, later)));
  for (const node of gone) if (!nodes.has(node.name)) nodes.set(node.name, "removed");
  const now = (name: string) => renamed.get(name) ?? name;
  const oldEdges = edgesOf(earlier).map((edge) => ({
    ...edge,
    from: now(edge.from),
    to: now(edge.to),
  }));
  const newEdges = edgesOf(later);
  const oldKeys = new Set(oldEdges.map(edgeKey));
  const newKeys = new Set(newEdges.map(edgeKey));
  const edges = new Map<string, ChangeKind>();
  for (const key of newKeys) if (!oldKeys.has(key)) edges.set(key, "added");
  for (const key of oldKeys) if (!newKeys.has(key)) edges.set(key, "removed");
  let union: WorkflowDocument = {
    ...later,
    nodes: [...later.nodes, ...gone.filter((node) => nodes.get(node.name) === "removed")],
  };
  for (const edge of oldEdges) if (!newKeys.has(edgeKey(edge))) union = connect(union, edge);
  return { nodes, details, edges, union };
}

/** How many nodes and connections differ, in one line. */
export function summarizeDiff(difference: DocumentDiff): string {
  const count = (change: ChangeKind) =>
    [...difference.nodes.values()].filter((value) => value === change).length;
  const parts = (["added", "changed", "removed", "moved"] as const).map(
    (change) => [count(change), change] as const,
  );
  const told = parts
    .filter(([number]) => number > 0)
    .map(([number, change]) => `${number} ${change}`);
  if (difference.edges.size > 0)
    told.push(
      `${difference.edges.size} ${difference.edges.size === 1 ? "connection" : "connections"}`,
    );
  return told.length > 0 ? told.join(" · ") : "No changes";
}

function nodeIdentity(node: WorkflowNode, other: WorkflowDocument): string {
  const isShared = node.id && other.nodes.some((candidate) => candidate.id === node.id);
  return isShared ? `id ${node.id}` : `name ${node.name}`;
}

function changedFields(old: WorkflowNode, node: WorkflowNode): string[] {
  const changes: string[] = [];
  const keys = new Set([
    ...Object.keys(old.parameters ?? {}),
    ...Object.keys(node.parameters ?? {}),
  ]);
  for (const key of keys)
    if (!isEqualJson(old.parameters?.[key], node.parameters?.[key])) changes.push(key);
  const fields = new Set([...Object.keys(old), ...Object.keys(node)]);
  for (const key of ["parameters", "position", "id", "webhookId"]) fields.delete(key);
  for (const key of fields) if (!isEqualJson(old[key], node[key])) changes.push(key);
  return changes;
}

/** Whether two pieces of JSON say the same; the order of keys does not matter. */
export function isEqualJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object")
    return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every(
    (key) =>
      key in other &&
      isEqualJson((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
  );
}
