/**
 * Changes of a workflow document, each a pure function from a document to a document.
 *
 * What does not change is shared with the document before, so that an unlimited undo history costs little and a component that is
 * given a node draws again only when that node has changed. A change that changes nothing gives the same document back.
 */

import type {
  Connections,
  PinnedItem,
  Target,
  WorkflowDocument,
  WorkflowNode,
} from "../api/workflowDocument";
import { disconnectNodes, edgesOf } from "./edges";
import { uniqueName } from "./nodeNames";
import { type NewNames, renameInValue } from "./renameReferences";

export * from "../api/workflowDocument";
export {
  ancestors,
  connect,
  descendants,
  disconnect,
  disconnectNodes,
  edgeKey,
  edgesOf,
  MAIN,
} from "./edges";
export { duplicateNodes } from "./fragment";
export { nameProblem, uniqueName } from "./nodeNames";

/** The node of a note on the canvas; it takes no part in a run. */
export const STICKY_NOTE = "n8n-nodes-base.stickyNote";

/** The way to a value inside parameters: `["options", "rules", 0, "name"]`, or the same as `options.rules[0].name`. */
export type ValuePath = string | readonly (string | number)[];

export function findNode(document: WorkflowDocument, name: string): WorkflowNode | undefined {
  return document.nodes.find((node) => node.name === name);
}

/** The steps of a path. A name with dots in it can only be given as a list. */
export function pathSteps(path: ValuePath): readonly (string | number)[] {
  if (typeof path !== "string") return path;
  const found: (string | number)[] = [];
  for (const [, name, index] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    found.push(index === undefined ? (name as string) : Number(index));
  }
  return found;
}

/** The value at a path, or `undefined`. */
export function valueAt(value: unknown, path: ValuePath): unknown {
  let found = value;
  for (const step of pathSteps(path)) {
    if (found === null || typeof found !== "object") return undefined;
    found = (found as Record<string | number, unknown>)[step];
  }
  return found;
}

/** A copy with one value at a path changed; `undefined` removes it. Objects and lists on the way are made where they are missing. */
export function withValueAt<T>(value: T, path: ValuePath, replacement: unknown): T {
  return replaceAt(value, pathSteps(path), replacement) as T;
}

function replaceAt(
  value: unknown,
  path: readonly (string | number)[],
  replacement: unknown,
): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return replacement;
  const inner = replaceAt(valueAt(value, [step]), rest, replacement);
  if (Array.isArray(value) || (value === undefined && typeof step === "number")) {
    const list = Array.isArray(value) ? [...value] : [];
    if (inner === undefined) list.splice(Number(step), 1);
    else list[Number(step)] = inner;
    return list;
  }
  const fields: Record<string, unknown> = {
    ...(value !== null && typeof value === "object" ? value : {}),
  };
  if (inner === undefined) delete fields[step];
  else fields[step] = inner;
  return fields;
}

/** Changes one node by a function; the document stays the same if the node does. */
export function updateNode(
  document: WorkflowDocument,
  name: string,
  update: (node: WorkflowNode) => WorkflowNode,
): WorkflowDocument {
  let changed = false;
  const nodes = document.nodes.map((node) => {
    if (node.name !== name) return node;
    const updated = update(node);
    changed ||= updated !== node;
    return updated;
  });
  return changed ? { ...document, nodes } : document;
}

/** Sets a parameter of a node; `undefined` takes it out, so that the default holds again. */
export function setParameter(
  document: WorkflowDocument,
  name: string,
  path: ValuePath,
  value: unknown,
): WorkflowDocument {
  return updateNode(document, name, (node) => {
    if (Object.is(valueAt(node.parameters, path), value)) return node;
    return { ...node, parameters: withValueAt(node.parameters ?? {}, path, value) };
  });
}

/** Replaces all parameters of a node. */
export function setParameters(
  document: WorkflowDocument,
  name: string,
  parameters: Record<string, unknown>,
): WorkflowDocument {
  return updateNode(document, name, (node) => ({ ...node, parameters }));
}

/** Sets a field of the node itself, such as `disabled`, `notes` or `credentials`; `undefined` takes it out. */
export function setNodeField<K extends string & keyof WorkflowNode>(
  document: WorkflowDocument,
  name: string,
  field: K,
  value: WorkflowNode[K] | undefined,
): WorkflowDocument {
  return updateNode(document, name, (node) => {
    if (Object.is(node[field], value)) return node;
    const updated = { ...node, [field]: value };
    if (value === undefined) delete updated[field];
    return updated;
  });
}

/** Sets the same field on several nodes, such as switching off a selection. */
export function setFieldOfNodes<K extends string & keyof WorkflowNode>(
  document: WorkflowDocument,
  names: Iterable<string>,
  field: K,
  value: WorkflowNode[K] | undefined,
): WorkflowDocument {
  let result = document;
  for (const name of names) result = setNodeField(result, name, field, value);
  return result;
}

/** A setting of the workflow; `undefined` takes it out. */
export function setSetting(
  document: WorkflowDocument,
  key: string,
  value: unknown,
): WorkflowDocument {
  return { ...document, settings: withValueAt(document.settings ?? {}, [key], value) };
}

export function setWorkflowName(document: WorkflowDocument, name: string): WorkflowDocument {
  return name === document.name ? document : { ...document, name };
}

/** Where nodes stand, by name. */
export function moveNodes(
  document: WorkflowDocument,
  positions: ReadonlyMap<string, readonly [number, number]>,
): WorkflowDocument {
  let changed = false;
  const nodes = document.nodes.map((node) => {
    const to = positions.get(node.name);
    if (!to || (to[0] === node.position?.[0] && to[1] === node.position?.[1])) return node;
    changed = true;
    return { ...node, position: to };
  });
  return changed ? { ...document, nodes } : document;
}

/** Adds a node, under a free name if its own is taken. */
export function addNode(document: WorkflowDocument, node: WorkflowNode): WorkflowDocument {
  const name = uniqueName(document, node.name);
  return { ...document, nodes: [...document.nodes, name === node.name ? node : { ...node, name }] };
}

/** Removes nodes with their connections and pinned data. */
export function removeNodes(document: WorkflowDocument, names: Iterable<string>): WorkflowDocument {
  const removed = new Set(names);
  const nodes = document.nodes.filter((node) => !removed.has(node.name));
  if (nodes.length === document.nodes.length) return document;
  const isPinned = Object.keys(document.pinData ?? {}).some((name) => removed.has(name));
  const pinData = isPinned
    ? Object.fromEntries(
        Object.entries(document.pinData ?? {}).filter(([name]) => !removed.has(name)),
      )
    : document.pinData;
  return disconnectNodes({ ...document, nodes, pinData }, removed);
}

function mapTargets(
  kinds: Connections[string],
  change: (target: Target) => Target | null,
): Connections[string] {
  const result: Connections[string] = {};
  for (const [kind, outputs] of Object.entries(kinds)) {
    const touched = outputs.some((targets) => targets?.some((target) => change(target) !== target));
    result[kind] = touched
      ? outputs.map(
          (targets) =>
            targets?.map(change).filter((target): target is Target => target !== null) ?? null,
        )
      : outputs;
  }
  return result;
}

/** Gives a node another name, also in connections, pinned data and expressions. A name that is taken is refused by giving the document back. */
export function renameInDocument(
  document: WorkflowDocument,
  from: string,
  to: string,
): WorkflowDocument {
  const name = to.trim();
  if (name === "" || name === from || document.nodes.some((node) => node.name === name))
    return document;
  return renameAll(document, new Map([[from, name]]));
}

/** Gives nodes other names at once, wherever these stand. Whoever calls it sees to it that no name is there twice. */
export function renameAll(document: WorkflowDocument, names: NewNames): WorkflowDocument {
  if (names.size === 0) return document;
  const nameNow = (name: string) => names.get(name) ?? name;
  const nodes = document.nodes.map((node) => {
    const parameters = renameInValue(node.parameters, names);
    const renamed = names.has(node.name) ? { ...node, name: nameNow(node.name) } : node;
    return parameters === node.parameters ? renamed : { ...renamed, parameters };
  });
  const connections: Connections = {};
  for (const [source, kinds] of Object.entries(document.connections)) {
    connections[nameNow(source)] = mapTargets(kinds, (target) =>
      names.has(target.node) ? { ...target, node: nameNow(target.node) } : target,
    );
  }
  const pinData =
    document.pinData &&
    Object.fromEntries(
      Object.entries(document.pinData).map(([node, items]) => [nameNow(node), items]),
    );
  return { ...document, nodes, connections, ...(pinData ? { pinData } : {}) };
}

/** Lets these items stand in for what the node would give. */
export function pinNode(
  document: WorkflowDocument,
  name: string,
  items: readonly PinnedItem[],
): WorkflowDocument {
  return { ...document, pinData: { ...document.pinData, [name]: items } };
}

export function unpinNode(document: WorkflowDocument, name: string): WorkflowDocument {
  if (!document.pinData?.[name]) return document;
  const { [name]: _, ...pinData } = document.pinData;
  return { ...document, pinData };
}

/** Names of the sub-nodes below these nodes, however deep, with the nodes themselves. */
export function withSubNodes(document: WorkflowDocument, names: Iterable<string>): Set<string> {
  const found = new Set(names);
  const suppliers = edgesOf(document).filter((edge) => edge.kind.startsWith("ai_"));
  for (let grew = true; grew; ) {
    grew = false;
    for (const edge of suppliers) {
      if (found.has(edge.to) && !found.has(edge.from)) {
        found.add(edge.from);
        grew = true;
      }
    }
  }
  return found;
}
