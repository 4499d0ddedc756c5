/** Connections of a document, read as a flat list of edges and changed one at a time. */
import type { Connections, Edge, Target, WorkflowDocument } from "../api/workflowDocument";

/** The kind of a connection that carries items. */
export const MAIN = "main";

/** Every connection of the document in document order; entries of the wrong form are passed over, never lost on saving. */
export function edgesOf(document: WorkflowDocument): Edge[] {
  const edges: Edge[] = [];
  for (const [from, kinds] of Object.entries(document.connections ?? {})) {
    for (const [kind, outputs] of Object.entries(kinds ?? {})) {
      if (!Array.isArray(outputs)) continue;
      outputs.forEach((targets: readonly Target[] | null, output: number) => {
        if (!Array.isArray(targets)) return;
        for (const target of targets) {
          if (typeof target?.node !== "string") continue;
          edges.push({ kind, from, output, to: target.node, input: target.index ?? 0 });
        }
      });
    }
  }
  return edges;
}

/** A text that names one edge and no other, used as its key on the canvas. */
export function edgeKey(edge: Edge): string {
  return JSON.stringify([edge.kind, edge.from, edge.output, edge.to, edge.input]);
}

/** The edge that a key names. */
export function parseEdgeKey(key: string): Edge {
  const [kind, from, output, to, input] = JSON.parse(key) as [
    string,
    string,
    number,
    string,
    number,
  ];
  return { kind, from, output, to, input };
}

export function isConnected(document: WorkflowDocument, edge: Edge): boolean {
  const targets = document.connections[edge.from]?.[edge.kind]?.[edge.output];
  return !!targets?.some((target) => leadsTo(target, edge));
}

/** Adds a connection; one that exists already is left as it is. */
export function connect(document: WorkflowDocument, edge: Edge): WorkflowDocument {
  if (isConnected(document, edge)) return document;
  const kinds = document.connections[edge.from] ?? {};
  const outputs: (readonly Target[] | null)[] = [...(kinds[edge.kind] ?? [])];
  while (outputs.length <= edge.output) outputs.push([]);
  const added: Target = { node: edge.to, type: edge.kind, index: edge.input };
  outputs[edge.output] = [...(outputs[edge.output] ?? []), added];
  return withOutputs(document, edge.from, edge.kind, outputs);
}

/** Removes connections; empty lists at the end go too, so that the document stays as n8n would write it. */
export function disconnect(
  document: WorkflowDocument,
  ...edges: readonly Edge[]
): WorkflowDocument {
  let result = document;
  for (const edge of edges) {
    const outputs = result.connections[edge.from]?.[edge.kind];
    if (!outputs || !isConnected(result, edge)) continue;
    const kept = outputs.map((targets, output) =>
      output === edge.output && targets
        ? targets.filter((target) => !leadsTo(target, edge))
        : targets,
    );
    result = withOutputs(result, edge.from, edge.kind, trimTrailing(kept));
  }
  return result;
}

/** Every connection that begins or ends at one of these nodes is removed. */
export function disconnectNodes(
  document: WorkflowDocument,
  names: ReadonlySet<string>,
): WorkflowDocument {
  const connections: Connections = {};
  let changed = false;
  for (const [from, kinds] of Object.entries(document.connections)) {
    if (names.has(from)) {
      changed = true;
      continue;
    }
    const kept: Connections[string] = {};
    let keptChanged = false;
    for (const [kind, outputs] of Object.entries(kinds)) {
      const touches = outputs.some((targets) => targets?.some((target) => names.has(target.node)));
      if (!touches) {
        kept[kind] = outputs;
        continue;
      }
      keptChanged = true;
      const rest = trimTrailing(
        outputs.map((targets) => targets?.filter((target) => !names.has(target.node)) ?? null),
      );
      if (rest.length > 0) kept[kind] = rest;
    }
    if (!keptChanged) connections[from] = kinds;
    else if (Object.keys(kept).length > 0) connections[from] = kept;
    changed ||= keptChanged;
  }
  return changed ? { ...document, connections } : document;
}

/** Nodes that give their items or their capability to this one, nearest first. */
export function ancestors(
  document: WorkflowDocument,
  name: string,
  kind: string | null = MAIN,
): string[] {
  return traverse(edgesOf(document), name, kind, (edge) => [edge.to, edge.from]);
}

/** Nodes that this one leads to, nearest first. */
export function descendants(
  document: WorkflowDocument,
  name: string,
  kind: string | null = MAIN,
): string[] {
  return traverse(edgesOf(document), name, kind, (edge) => [edge.from, edge.to]);
}

function traverse(
  edges: Edge[],
  start: string,
  kind: string | null,
  ends: (edge: Edge) => [string, string],
): string[] {
  const next = new Map<string, string[]>();
  for (const edge of edges) {
    if (kind !== null && edge.kind !== kind) continue;
    const [at, other] = ends(edge);
    const list = next.get(at);
    if (list) list.push(other);
    else next.set(at, [other]);
  }
  const found: string[] = [];
  const seen = new Set([start]);
  const queue = [start];
  for (let at = 0; at < queue.length; at++) {
    for (const name of next.get(queue[at] as string) ?? []) {
      if (seen.has(name)) continue;
      seen.add(name);
      found.push(name);
      queue.push(name);
    }
  }
  return found;
}

function leadsTo(target: Target, edge: Edge): boolean {
  return target.node === edge.to && (target.index ?? 0) === edge.input;
}

function trimTrailing<T>(outputs: readonly (readonly T[] | null)[]): (readonly T[] | null)[] {
  const kept = [...outputs];
  while (kept.length > 0 && !kept[kept.length - 1]?.length) kept.pop();
  return kept;
}

function withOutputs(
  document: WorkflowDocument,
  from: string,
  kind: string,
  outputs: readonly (readonly Target[] | null)[],
): WorkflowDocument {
  const kinds = { ...document.connections[from] };
  if (outputs.length > 0) kinds[kind] = outputs;
  else delete kinds[kind];
  const connections = { ...document.connections };
  if (Object.keys(kinds).length > 0) connections[from] = kinds;
  else delete connections[from];
  return { ...document, connections };
}
