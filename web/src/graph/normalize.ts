/** Brings a document from outside into the form that the editor relies on, without losing anything it does not know. */

import type { Connections, WorkflowDocument, WorkflowNode } from "../api/workflowDocument";
import { newId } from "./nodeNames";

/** A document whose nodes have ids, positions, parameters and names that no other has. The same document if it is so already. */
export function normalizeDocument(document: WorkflowDocument): WorkflowDocument {
  const given = Array.isArray(document.nodes) ? document.nodes : [];
  const taken = new Set<string>();
  const nodes = given.filter(isRecord).map((fields) => {
    const node = normalizeNode(fields);
    let name = node.name;
    for (let number = 1; taken.has(name); number++) name = `${node.name}${number}`;
    taken.add(name);
    return name === node.name ? node : { ...node, name };
  });
  const isSame =
    nodes.length === given.length && nodes.every((node, index) => node === given[index]);
  const connections = isRecord(document.connections) ? (document.connections as Connections) : {};
  return isSame && connections === document.connections
    ? document
    : { ...document, nodes: isSame ? document.nodes : nodes, connections };
}

/** A node with every field that is read without asking; the same node if it has them. */
export function normalizeNode(fields: Record<string, unknown>): WorkflowNode {
  const position = Array.isArray(fields.position) ? fields.position : [0, 0];
  const isPlaced =
    position.length === 2 &&
    position.every((value) => typeof value === "number" && Number.isFinite(value));
  const isNormal =
    typeof fields.id === "string" &&
    typeof fields.name === "string" &&
    fields.name !== "" &&
    typeof fields.type === "string" &&
    typeof fields.typeVersion === "number" &&
    Array.isArray(fields.position) &&
    isPlaced &&
    isRecord(fields.parameters);
  if (isNormal) return fields as WorkflowNode;
  return {
    ...fields,
    id: typeof fields.id === "string" ? fields.id : newId(),
    name: typeof fields.name === "string" && fields.name !== "" ? fields.name : "Node",
    type: typeof fields.type === "string" ? fields.type : "",
    typeVersion: Number(fields.typeVersion ?? 1) || 1,
    position: isPlaced ? (position as [number, number]) : [0, 0],
    parameters: isRecord(fields.parameters) ? fields.parameters : {},
  };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
