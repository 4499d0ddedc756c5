/** The fields that items have, with the types and a sample of each: the outline people drag from. */

import type { SchemaField } from "../run/runItems";

export type DataType = "string" | "number" | "boolean" | "object" | "array" | "null";

export interface SchemaNode {
  key: string;
  path: (string | number)[];
  types: DataType[];
  /** The first value that is there, cut short. */
  sample: unknown;
  /** How many of the items have it. */
  seen: number;
  children: SchemaNode[];
}

/** Deeper than this a schema helps nobody, and data that is deeper than it is wide must not freeze the page. */
const MAX_DEPTH = 12;
/** Objects used as maps can have thousands of keys; more than these are not listed. */
const MAX_FIELDS = 500;

export function typeOf(value: unknown): DataType {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

/** The schema of the data of some items. */
export function schemaOf(items: readonly unknown[]): SchemaNode[] {
  const root: SchemaNode = {
    key: "",
    path: [],
    types: [],
    sample: undefined,
    seen: 0,
    children: [],
  };
  for (const item of items) addObject(root, item, 0);
  return root.children;
}

function addObject(parent: SchemaNode, value: unknown, depth: number): void {
  if (typeOf(value) !== "object" || depth > MAX_DEPTH) return;
  for (const [key, inner] of Object.entries(value as Record<string, unknown>)) {
    const child = childOf(parent, key);
    if (child) addValue(child, inner, depth);
  }
}

function addValue(node: SchemaNode, value: unknown, depth: number): void {
  const type = typeOf(value);
  node.seen++;
  if (!node.types.includes(type)) node.types.push(type);
  if ((node.sample === undefined || node.sample === null) && value !== undefined)
    node.sample = value;
  if (type === "object") addObject(node, value, depth + 1);
  // The first entry stands for the list, as it does in n8n: its fields are what `[0]` leads to.
  if (type === "array" && (value as unknown[]).length > 0 && depth < MAX_DEPTH) {
    const first = childOf(node, 0);
    if (first) addValue(first, (value as unknown[])[0], depth + 1);
  }
}

function childOf(parent: SchemaNode, key: string | number): SchemaNode | undefined {
  const name = String(key);
  const known = parent.children.find((child) => child.key === name);
  if (known) return known;
  if (parent.children.length >= MAX_FIELDS) return undefined;
  const made: SchemaNode = {
    key: name,
    path: [...parent.path, key],
    types: [],
    sample: undefined,
    seen: 0,
    children: [],
  };
  parent.children.push(made);
  return made;
}

/** The same from the flat list that the server gives when items are too large to be sent. */
export function schemaOfFields(fields: readonly SchemaField[]): SchemaNode[] {
  const root: SchemaNode = {
    key: "",
    path: [],
    types: ["object"],
    sample: undefined,
    seen: 1,
    children: [],
  };
  for (const field of fields) {
    let node: SchemaNode = root;
    for (const step of field.path) {
      const inList = node.types.includes("array") && /^\d+$/.test(String(step));
      const next = childOf(node, inList ? Number(step) : step);
      if (!next) break;
      node = next;
    }
    if (node === root) continue;
    node.types = [isDataType(field.type) ? field.type : "object"];
    node.sample = field.sample;
    node.seen = 1;
  }
  return root.children;
}

function isDataType(type: string): type is DataType {
  return ["string", "number", "boolean", "object", "array", "null"].includes(type);
}

/** The fields whose name or sample contains the words, with their parents. */
export function filterSchema(nodes: readonly SchemaNode[], search: string): SchemaNode[] {
  const words = search.trim().toLowerCase();
  if (words === "") return [...nodes];
  return nodes.flatMap((node) => {
    const children = filterSchema(node.children, words);
    const fits =
      node.key.toLowerCase().includes(words) ||
      sampleText(node.sample).toLowerCase().includes(words);
    if (children.length > 0) return [{ ...node, children }];
    return fits ? [node] : [];
  });
}

const MAX_SAMPLE_CHARS = 200;

/** A value in one short line. */
export function sampleText(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string") return truncate(value.replace(/\s+/g, " "));
  if (Array.isArray(value)) return value.length === 1 ? "1 entry" : `${value.length} entries`;
  if (typeof value === "object" && value !== null) return fieldCount(Object.keys(value).length);
  return String(value);
}

function fieldCount(fields: number): string {
  return fields === 1 ? "1 field" : `${fields} fields`;
}

function truncate(text: string): string {
  return text.length > MAX_SAMPLE_CHARS ? `${text.slice(0, MAX_SAMPLE_CHARS)}…` : text;
}
