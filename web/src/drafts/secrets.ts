/** Parameters that hold secrets of their own, such as the key of a hash: they are left out of drafts, and taken from what is saved. */
import type { Catalogue } from "../api/catalogue";
import type { Param } from "../api/spec";
import type { WorkflowDocument, WorkflowNode } from "../api/workflowDocument";
import { isRecord } from "../graph/normalize";

type Values = Record<string, unknown>;

/** The document without secrets; the same document if it has none. */
export function withoutSecrets(document: WorkflowDocument, catalogue: Catalogue): WorkflowDocument {
  return mapNodes(document, catalogue, (node, params) =>
    mapSecrets(params, node.parameters, () => undefined),
  );
}

/** The document with the secrets that another one has at the same places of the same nodes. */
export function restoreSecrets(
  document: WorkflowDocument,
  other: WorkflowDocument,
  catalogue: Catalogue,
): WorkflowDocument {
  const theirs = new Map(other.nodes.map((node) => [node.id, node]));
  return mapNodes(document, catalogue, (node, params) => {
    const same = theirs.get(node.id);
    return same?.type === node.type
      ? mapSecrets(params, node.parameters, (given) => given, same.parameters)
      : node.parameters;
  });
}

function mapNodes(
  document: WorkflowDocument,
  catalogue: Catalogue,
  change: (node: WorkflowNode, params: readonly Param[]) => Values,
): WorkflowDocument {
  const nodes = document.nodes.map((node) => {
    const params = catalogue.find(node.type, node.typeVersion)?.params;
    const parameters = params && isRecord(node.parameters) ? change(node, params) : node.parameters;
    return parameters === node.parameters ? node : { ...node, parameters };
  });
  return nodes.some((node, index) => node !== document.nodes[index])
    ? { ...document, nodes }
    : document;
}

/**
 * Values with each secret put through `change`, which is given what `others` have in its place; `undefined` takes the field away.
 * Expressions are no secrets: they say where one is.
 */
function mapSecrets(
  params: readonly Param[],
  values: Values,
  change: (other: unknown) => unknown,
  others: Values = {},
): Values {
  let result = values;
  const put = (name: string, next: unknown) => {
    if (next === result[name]) return;
    result = { ...result, [name]: next };
    if (next === undefined) delete result[name];
  };
  for (const { name, kind } of params) {
    const [value, other] = [values[name], others[name]];
    if (kind.type === "secret") {
      const isOpen = typeof value === "string" && (value.startsWith("=") || value === "");
      if (!isOpen) put(name, change(other));
    } else if (kind.type === "collection") {
      if (isRecord(value))
        put(name, mapSecrets(kind.params, value, change, isRecord(other) ? other : {}));
    } else if (kind.type === "groups" && isRecord(value)) {
      let groups = value;
      for (const group of kind.groups) {
        const before = value[group.name];
        const there = isRecord(other) ? other[group.name] : undefined;
        const inOne = (one: unknown, same: unknown) =>
          isRecord(one) ? mapSecrets(group.params, one, change, isRecord(same) ? same : {}) : one;
        const after = Array.isArray(before)
          ? before.map((one, index) => inOne(one, Array.isArray(there) ? there[index] : undefined))
          : inOne(before, there);
        const isSame = Array.isArray(after)
          ? after.every((one, index) => one === (before as unknown[])[index])
          : after === before;
        if (!isSame) groups = { ...groups, [group.name]: after };
      }
      put(name, groups);
    }
  }
  return result;
}
