/** How values of simple kinds go into controls and come back. */

import type { Json } from "../graph/json";

/** A value as text in a field; objects as JSON, nothing as nothing. */
export function toText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
}

/** A number, also one that an older workflow keeps as text. */
export function toNumber(value: Json | undefined): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  return Number.isFinite(Number(value)) ? Number(value) : undefined;
}

/** Choices may be numbers or yes/no; a list of options knows texts only. */
export function choiceKey(value: unknown): string {
  return typeof value === "string" ? value : `json:${JSON.stringify(value)}`;
}

export function choiceValue(key: string): Json {
  return key.startsWith("json:") ? (JSON.parse(key.slice(5)) as Json) : key;
}

/** Whether the browser's own date field can show this text. */
export function isLocalDateTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text);
}

/** Why JSON cannot be read, or nothing. Text that is computed is only JSON once it has been. */
export function jsonProblem(text: string): string | null {
  if (text.trim() === "" || text.startsWith("=")) return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : "Invalid JSON.";
  }
}
