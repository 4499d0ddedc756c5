/**
 * Workflows that come from outside: what a file, the clipboard or an address holds is read into documents.
 *
 * Exports of n8n are an object or a list of them; its gallery wraps the workflow once or twice; what is copied from a canvas has
 * nodes and connections and no name. All of these are taken.
 */
import type { WorkflowDocument } from "../../graph/types";

export type Incoming = { documents: WorkflowDocument[] } | { problem: string };

/** Larger than this, a text is not read at all: the server would refuse it anyway. */
const MOST_LETTERS = 16_000_000;

export function readIncoming(text: string, fallbackName = "Imported workflow"): Incoming {
  const trimmed = text.replace(/^\uFEFF/, "").trim();
  if (trimmed === "") return { problem: "There is nothing to read. Choose a file or paste a workflow as JSON." };
  if (trimmed.length > MOST_LETTERS) return { problem: "This is larger than 16 MB, which is more than a workflow may have." };
  let value: unknown;
  try {
    value = JSON.parse(trimmed);
  } catch (error) {
    return { problem: `This is no JSON: ${(error as Error).message}. A workflow is exported with Download in its menu.` };
  }
  const found = (Array.isArray(value) ? value : [value]).map(unwrapped).filter((one) => one !== null);
  if (found.length === 0) {
    return { problem: "This is JSON, but there is no workflow in it: it has no list of nodes." };
  }
  return {
    documents: found.map((one, index) => documentOf(one, found.length > 1 ? `${fallbackName} ${index + 1}` : fallbackName)),
  };
}

/** Whether a text could be the address of a workflow. */
export function isAddress(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text.trim());
}

/** The object that has the nodes, out of at most three wrappings. */
function unwrapped(value: unknown): Record<string, unknown> | null {
  let next = value;
  for (let depth = 0; depth < 4; depth += 1) {
    if (next === null || typeof next !== "object" || Array.isArray(next)) return null;
    const fields = next as Record<string, unknown>;
    if (Array.isArray(fields.nodes)) return fields;
    next = fields.workflow ?? fields.data;
  }
  return null;
}

function documentOf(fields: Record<string, unknown>, fallbackName: string): WorkflowDocument {
  const object = (value: unknown) => (value !== null && typeof value === "object" && !Array.isArray(value) ? value : {});
  const nodes = (fields.nodes as unknown[]).filter((node) => node !== null && typeof node === "object");
  const name = typeof fields.name === "string" ? fields.name.trim() : "";
  return {
    name: name === "" ? fallbackName : name,
    nodes: nodes as WorkflowDocument["nodes"],
    connections: object(fields.connections) as WorkflowDocument["connections"],
    settings: object(fields.settings) as Record<string, unknown>,
    pinData: object(fields.pinData) as WorkflowDocument["pinData"],
    ...(fields.meta && typeof fields.meta === "object" ? { meta: fields.meta as Record<string, unknown> } : {}),
  };
}
