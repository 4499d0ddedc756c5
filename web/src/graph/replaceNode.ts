/** Another type in the place of a node, which keeps its name, its place and its connections. */
import type { Edge, WorkflowDocument, WorkflowNode } from "../api/workflowDocument";
import { findNode, updateNode } from "./document";
import { disconnect, edgesOf } from "./edges";
import { startParameters } from "./insertNode";
import { newId } from "./nodeNames";
import { portsOf } from "./ports";
import { describeReplaced } from "./standIn";
import type { TypeLookup, TypeSpec } from "./typeSpec";

/** What a node must have to take over all connections of another: kinds of ports, and a start of runs if that was one. */
export interface NeededPorts {
  isTrigger: boolean;
  inputs: ReadonlySet<string>;
  outputs: ReadonlySet<string>;
}

export function neededPorts(
  document: WorkflowDocument,
  types: TypeLookup,
  name: string,
): NeededPorts {
  const edges = edgesOf(document);
  const node = findNode(document, name);
  const touching = edges.filter((edge) => edge.from === name || edge.to === name);
  return {
    isTrigger: node !== undefined && portsOf(node, types, touching).shape === "trigger",
    inputs: new Set(edges.filter((edge) => edge.to === name).map((edge) => edge.kind)),
    outputs: new Set(edges.filter((edge) => edge.from === name).map((edge) => edge.kind)),
  };
}

/** Whether a type has all of these. */
export function canReplace(spec: TypeSpec, { isTrigger, inputs, outputs }: NeededPorts): boolean {
  if ((spec.group === "trigger") !== isTrigger) return false;
  const has = (ports: TypeSpec["inputs"], kinds: ReadonlySet<string>) =>
    [...kinds].every((kind) => ports.some((port) => port.kind === kind));
  return has(spec.inputs, inputs) && has(spec.outputs, outputs);
}

/** `known` are parameters that the new node has besides those it begins with. */
export function replaceNode(
  document: WorkflowDocument,
  types: TypeLookup,
  name: string,
  spec: TypeSpec,
  known: Record<string, unknown> = {},
): WorkflowDocument {
  const old = findNode(document, name);
  if (!old) return document;
  const edges = edgesOf(document).filter((edge) => edge.from === name || edge.to === name);
  const node = withType(old, spec, edges, known);
  const ports = portsOf(node, types, []);
  const isLost = (edge: Edge) =>
    (edge.from === name && !ports.outputs.some((port) => port.kind === edge.kind)) ||
    (edge.to === name && !ports.inputs.some((port) => port.kind === edge.kind));
  return disconnect(
    updateNode(document, name, () => node),
    ...edges.filter(isLost),
  );
}

function withType(
  old: WorkflowNode,
  spec: TypeSpec,
  edges: readonly Edge[],
  known: Record<string, unknown>,
): WorkflowNode {
  const { parameters: _, credentials, webhookId, ...kept } = old;
  const supplied = edges.find((edge) => edge.from === old.name && edge.kind !== "main");
  const wanted = supplied ? { kind: supplied.kind, side: "input" } : null;
  const parameters = { ...startParameters(spec, wanted), ...known };
  const asked = new Set([
    ...(spec.credentials ?? []).map((use) => use.kind),
    ...Object.values(parameters).filter((value) => typeof value === "string"),
  ]);
  const chosen = Object.entries(credentials ?? {}).filter(([kind]) => asked.has(kind));
  return {
    ...kept,
    type: spec.id,
    typeVersion: Math.max(...spec.versions),
    parameters,
    notes: old.notes || describeReplaced(old),
    ...(chosen.length > 0 ? { credentials: Object.fromEntries(chosen) } : {}),
    ...(spec.trigger ? { webhookId: webhookId ?? newId() } : {}),
  };
}
