/**
 * Workflows that come from outside: what a file, the clipboard or an address holds is read into documents.
 *
 * Exports of n8n are an object or a list of them; its gallery wraps the workflow once or twice; what is copied from a canvas has
 * nodes and connections and no name. All of these are taken.
 */
import type { WorkflowDocument } from "../../api/workflowDocument";

export type ImportResult = { documents: WorkflowDocument[] } | { problem: string };

/** Larger than this, a text is not read at all: the server would refuse it anyway. */
const MAX_CHARS = 16_000_000;

export function parseImport(text: string, fallbackName = "Imported workflow"): ImportResult {
  const trimmed = text.replace(/^\uFEFF/, "").trim();
  if (trimmed === "")
    return { problem: "Nothing to import. Select a file or paste a workflow as JSON." };
  if (trimmed.length > MAX_CHARS)
    return { problem: "The workflow is larger than the limit of 16 MB." };
  let value: unknown;
  try {
    value = JSON.parse(trimmed);
  } catch (error) {
    return {
      problem: `Invalid JSON: ${(error as Error).message}. Use Download in the workflow menu to export it.`,
    };
  }
  const found = (Array.isArray(value) ? value : [value]).map(unwrap).filter((one) => one !== null);
  if (found.length === 0) {
    return { problem: "Not a workflow: the JSON has no list of nodes." };
  }
  return {
    documents: found.map((one, index) =>
      toDocument(one, found.length > 1 ? `${fallbackName} ${index + 1}` : fallbackName),
    ),
  };
}

/** The object that has the nodes, out of at most three wrappings. */
function unwrap(value: unknown): Record<string, unknown> | null {
  let next = value;
  for (let depth = 0; depth < 4; depth += 1) {
    if (next === null || typeof next !== "object" || Array.isArray(next)) return null;
    const fields = next as Record<string, unknown>;
    if (Array.isArray(fields.nodes)) return fields;
    next = fields.workflow ?? fields.data;
  }
  return null;
}

function toDocument(fields: Record<string, unknown>, fallbackName: string): WorkflowDocument {
  const object = (value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
  const nodes = (fields.nodes as unknown[]).filter(
    (node) => node !== null && typeof node === "object",
  );
  const name = typeof fields.name === "string" ? fields.name.trim() : "";
  return {
    name: name === "" ? fallbackName : name,
    nodes: nodes as WorkflowDocument["nodes"],
    connections: object(fields.connections) as WorkflowDocument["connections"],
    settings: object(fields.settings) as Record<string, unknown>,
    pinData: object(fields.pinData) as WorkflowDocument["pinData"],
    ...(fields.meta && typeof fields.meta === "object"
      ? { meta: fields.meta as Record<string, unknown> }
      : {}),
  };
}
