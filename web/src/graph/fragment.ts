/** Copying and pasting parts of a workflow as n8n's clipboard JSON, so that both editors can paste what the other has copied. */

import type {
  Connections,
  Edge,
  PinnedItem,
  WorkflowDocument,
  WorkflowNode,
} from "../api/workflowDocument";
import { connect, edgesOf } from "./edges";
import { newId, uniqueName } from "./nodeNames";
import { isRecord, normalizeNode } from "./normalize";
import { renameInValue } from "./renameReferences";

/** What lies on the clipboard: some nodes, the connections among them and their pinned data. */
export interface Fragment {
  nodes: readonly WorkflowNode[];
  connections: Connections;
  pinData?: Record<string, readonly PinnedItem[]>;
}

/** The chosen nodes and the connections that have both ends among them. */
export function copyFragment(document: WorkflowDocument, names: Iterable<string>): Fragment {
  const chosen = new Set(names);
  const nodes = document.nodes.filter((node) => chosen.has(node.name));
  const edges = edgesOf(document).filter((edge) => chosen.has(edge.from) && chosen.has(edge.to));
  const pinData = Object.fromEntries(
    Object.entries(document.pinData ?? {}).filter(([name]) => chosen.has(name)),
  );
  return { nodes, connections: toConnections(edges), pinData };
}

/** The text for the clipboard. */
export function serializeFragment(fragment: Fragment): string {
  return JSON.stringify({ ...fragment, meta: {} }, null, 2);
}

/** Why a text could not be read as part of a workflow, in words for the person who pasted it. */
export class FragmentError extends Error {}

/** Reads a whole workflow, a part of one, or a list of nodes. */
export function parseFragment(
  text: string,
): Fragment & { name?: string; settings?: Record<string, unknown> } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FragmentError(
      "Invalid JSON. Copy nodes from Heddle or n8n, or a workflow's JSON, and paste again.",
    );
  }
  // Templates of the gallery carry the workflow inside of a description.
  const inner = (value as { workflow?: unknown })?.workflow;
  const read = Array.isArray(value)
    ? { nodes: value }
    : inner && typeof inner === "object"
      ? inner
      : value;
  const { nodes, connections, pinData, name, settings } = (read ?? {}) as Record<string, unknown>;
  if (!Array.isArray(nodes)) {
    throw new FragmentError(
      "Not a workflow: the JSON has no “nodes” list. Copy nodes from Heddle or n8n and paste again.",
    );
  }
  return {
    nodes: nodes.filter(isRecord).map(normalizeNode),
    connections: isRecord(connections) ? (connections as Connections) : {},
    pinData: isRecord(pinData) ? (pinData as Record<string, readonly PinnedItem[]>) : {},
    ...(typeof name === "string" ? { name } : {}),
    ...(isRecord(settings) ? { settings } : {}),
  };
}

/** Whether a text on the clipboard could be nodes at all; a glance, so that ordinary text is passed over without a word. */
export function looksLikeFragment(text: string): boolean {
  const start = text.trimStart();
  return start.startsWith("[")
    ? text.includes('"type"')
    : start.startsWith("{") && text.includes('"nodes"');
}

/** What pasting gave: the document and the names under which the nodes arrived. */
export interface PasteResult {
  document: WorkflowDocument;
  names: string[];
}

/**
 * Adds a fragment to a document. Names that are taken get a number and references among the pasted nodes follow; ids are made anew,
 * because two nodes must not share one. `shift` is in the document's own units.
 */
export function pasteFragment(
  document: WorkflowDocument,
  fragment: Fragment,
  shift: readonly [number, number],
): PasteResult {
  const renamed = new Map<string, string>();
  const taken = new Set<string>();
  const newNames = fragment.nodes.map((node) => {
    const name = uniqueName(document, node.name, taken);
    taken.add(name);
    // Of two nodes with one name, which n8n does not write, the first is the one that others mean.
    if (!renamed.has(node.name)) renamed.set(node.name, name);
    return name;
  });
  const nodes = fragment.nodes.map((node, index): WorkflowNode => {
    const copy: WorkflowNode = {
      ...node,
      id: newId(),
      name: newNames[index] ?? node.name,
      parameters: renameInValue(node.parameters, renamed),
      position: [Math.round(node.position[0] + shift[0]), Math.round(node.position[1] + shift[1])],
    };
    // Two nodes that listen at one address would take each other's calls.
    if (typeof node.webhookId === "string") copy.webhookId = newId();
    return copy;
  });
  let result: WorkflowDocument = { ...document, nodes: [...document.nodes, ...nodes] };
  for (const edge of edgesOf({ ...document, connections: fragment.connections })) {
    const from = renamed.get(edge.from);
    const to = renamed.get(edge.to);
    if (from !== undefined && to !== undefined) result = connect(result, { ...edge, from, to });
  }
  const pins = Object.entries(fragment.pinData ?? {}).filter(
    ([name, items]) => renamed.has(name) && Array.isArray(items),
  );
  if (pins.length > 0) {
    const pinData = Object.fromEntries(
      pins.map(([name, items]) => [renamed.get(name) as string, items]),
    );
    result = { ...result, pinData: { ...result.pinData, ...pinData } };
  }
  return { document: result, names: nodes.map((node) => node.name) };
}

/** The chosen nodes once more, a little below and to the right. */
export function duplicateNodes(
  document: WorkflowDocument,
  names: Iterable<string>,
  shift: readonly [number, number] = [32, 96],
): PasteResult {
  return pasteFragment(document, copyFragment(document, names), shift);
}

/** The box around nodes in the document's units: left, top, right, bottom of their corners. */
export function cornerBounds(nodes: readonly WorkflowNode[]): [number, number, number, number] {
  const xs = nodes.map((node) => node.position[0]);
  const ys = nodes.map((node) => node.position[1]);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

function toConnections(edges: readonly Edge[]): Connections {
  let document: WorkflowDocument = { name: "", nodes: [], connections: {} };
  for (const edge of edges) document = connect(document, edge);
  return document.connections;
}
