/** How the result of an expression is written under it. */

import type { Preview } from "./preview";

const LINE = 300;
const WHOLE = 20_000;

export function resultText(preview: Preview, whole: boolean): string {
  const { value, text, type } = preview;
  const most = whole ? WHOLE : LINE;
  if (type === "undefined" || (value === undefined && text === undefined)) return "undefined";
  if (value === "" || (value === undefined && text === "")) return "[empty]";
  const written =
    typeof value === "object" && value !== null ? JSON.stringify(value, null, whole ? 2 : undefined) : (text ?? String(value));
  const line = whole ? written : written.replace(/\s+/g, " ");
  const named = !whole && type && (type === "array" || type === "object") ? `[${type}] ${line}` : line;
  return named.length > most ? `${named.slice(0, most)}…` : named;
}
