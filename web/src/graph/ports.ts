/** The inputs and outputs that a node has with its parameters, and the shape in which it is drawn. */

import type { Edge, WorkflowNode } from "../api/workflowDocument";
import { MAIN } from "./edges";
import { describedPorts, MAX_PORTS } from "./portRules";
import type { PortSpec, TypeLookup, TypeSpec } from "./typeSpec";

/** One place where connections begin or end. `index` counts within the kind, as connections do. */
export interface Port {
  kind: string;
  index: number;
  label: string;
  /** The workflow does not run without a connection here. */
  required: boolean;
  /** How many connections it takes; items may come from anywhere, of a model there is one. */
  maxConnections: number;
  /** The last output of a node that sends failed items along a way of their own. */
  isError: boolean;
}

/** A card in the flow of items, a card that begins it, or a circle that hangs below the node it serves. */
export type NodeShape = "card" | "trigger" | "circle";

export interface Ports {
  inputs: readonly Port[];
  outputs: readonly Port[];
  shape: NodeShape;
  /** It has sub-nodes, or does not run without one, so it is wide enough for several below it. */
  isWide: boolean;
  /** The type is in the catalogue with this version, with other versions only, or not at all. */
  known: "yes" | "version" | "no";
}

/** Words for the kinds of connections. */
export const KIND_LABELS: Record<string, string> = {
  main: "Items",
  ai_languageModel: "Model",
  ai_tool: "Tool",
  ai_memory: "Memory",
  ai_document: "Document",
  ai_vectorStore: "Vector store",
  ai_embedding: "Embeddings",
  ai_outputParser: "Output parser",
  ai_textSplitter: "Text splitter",
  ai_retriever: "Retriever",
  ai_reranker: "Reranker",
  ai_chain: "Chain",
  ai_agent: "Agent",
  ai_toolkit: "Toolkit",
  control: "Control",
};

export function kindLabel(kind: string): string {
  return KIND_LABELS[kind] ?? kind;
}

export function isSubNodeKind(kind: string): boolean {
  return kind.startsWith("ai_");
}

/** The ports of a node. `edges` are those that touch it: they show what a type that is not known must have. */
export function portsOf(node: WorkflowNode, types: TypeLookup, edges: readonly Edge[]): Ports {
  const exact = types.find(node.type, node.typeVersion);
  const spec = exact ?? types.find(node.type);
  const known = exact ? "yes" : spec ? "version" : "no";
  const described = spec && describedPorts(spec, node);
  const inputs = numberPorts(described?.inputs ?? []);
  const outputs = numberPorts(described?.outputs ?? []);
  const wantedInputs = countsOf(
    edges.filter((edge) => edge.to === node.name).map((edge) => [edge.kind, edge.input]),
  );
  const wantedOutputs = countsOf(
    edges.filter((edge) => edge.from === node.name).map((edge) => [edge.kind, edge.output]),
  );
  if (!spec) guessPorts(node, inputs, outputs, wantedInputs, wantedOutputs);
  if (node.onError === "continueErrorOutput") addErrorOutput(outputs);
  // A connection that the description does not know is still there and must be seen, so it gets a port.
  fillPorts(inputs, wantedInputs);
  fillPorts(outputs, wantedOutputs);
  const isRoot =
    inputs.some((port) => port.kind === MAIN) || outputs.some((port) => port.kind === MAIN);
  const shape: NodeShape =
    !isRoot && outputs.length > 0 ? "circle" : isTrigger(node, spec, inputs) ? "trigger" : "card";
  const isWide = inputs.some(
    (port) => isSubNodeKind(port.kind) && (port.required || wantedInputs.has(port.kind)),
  );
  return { inputs, outputs, shape, isWide, known };
}

function isTrigger(
  node: WorkflowNode,
  spec: TypeSpec | undefined,
  inputs: readonly Port[],
): boolean {
  if (spec) return spec.group === "trigger";
  return /trigger$/i.test(node.type) && !inputs.some((port) => port.kind === MAIN);
}

function numberPorts(specs: readonly PortSpec[]): Port[] {
  const next = new Map<string, number>();
  return specs.map((port) => {
    const index = next.get(port.kind) ?? 0;
    next.set(port.kind, index + 1);
    return {
      kind: port.kind,
      index,
      label: port.label || (isSubNodeKind(port.kind) ? kindLabel(port.kind) : ""),
      required: port.required ?? false,
      maxConnections: port.maxConnections ?? Number.POSITIVE_INFINITY,
      isError: false,
    };
  });
}

type Counts = Map<string, number>;

function countsOf(ends: [string, number][]): Counts {
  const counts: Counts = new Map();
  for (const [kind, index] of ends)
    counts.set(kind, Math.max(counts.get(kind) ?? 0, Math.min(index, MAX_PORTS - 1) + 1));
  return counts;
}

function fillPorts(ports: Port[], wanted: Counts) {
  for (const [kind, count] of wanted) {
    const present = ports.filter((port) => port.kind === kind).length;
    for (let index = present; index < count; index++) {
      ports.push({
        kind,
        index,
        label: isSubNodeKind(kind) ? kindLabel(kind) : "",
        required: false,
        maxConnections: Number.POSITIVE_INFINITY,
        isError: false,
      });
    }
  }
}

/** A type that is not known has the ports of its connections; without any, those that most nodes have. */
function guessPorts(
  node: WorkflowNode,
  inputs: Port[],
  outputs: Port[],
  wantedInputs: Counts,
  wantedOutputs: Counts,
) {
  const supplies = [...wantedOutputs.keys()].some(isSubNodeKind);
  const main: Port = {
    kind: MAIN,
    index: 0,
    label: "",
    required: false,
    maxConnections: Number.POSITIVE_INFINITY,
    isError: false,
  };
  const isOnlySupplier = supplies && !wantedOutputs.has(MAIN) && !wantedInputs.has(MAIN);
  if (isOnlySupplier) return;
  if (/Tool$/.test(node.type) && !wantedOutputs.has(MAIN) && !wantedInputs.has(MAIN)) {
    outputs.push({ ...main, kind: "ai_tool", label: "Tool" });
    return;
  }
  if (!/trigger$/i.test(node.type) || wantedInputs.has(MAIN)) inputs.push(main);
  const sent = (wantedOutputs.get(MAIN) ?? 1) - (node.onError === "continueErrorOutput" ? 1 : 0);
  for (let index = 0; index < Math.max(1, sent); index++) outputs.push({ ...main, index });
}

/** Failed items leave by an output of their own, after all others that carry items. */
function addErrorOutput(outputs: Port[]) {
  const mains = outputs.filter((port) => port.kind === MAIN);
  const last = mains[mains.length - 1];
  if (!last) return;
  outputs.splice(outputs.indexOf(last) + 1, 0, {
    ...last,
    index: mains.length,
    label: "error",
    isError: true,
  });
}
