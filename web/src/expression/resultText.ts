/** How the result of an expression is written under it. */

import type { Preview } from "./usePreview";

const MAX_LINE_CHARS = 300;
const MAX_CHARS = 20_000;

export function resultText(preview: Preview, whole: boolean): string {
  const { value, text, type } = preview;
  const most = whole ? MAX_CHARS : MAX_LINE_CHARS;
  if (type === "undefined" || (value === undefined && text === undefined)) return "undefined";
  if (value === "" || (value === undefined && text === "")) return "[empty]";
  const written =
    typeof value === "object" && value !== null
      ? JSON.stringify(value, null, whole ? 2 : undefined)
      : (text ?? String(value));
  const line = whole ? written : written.replace(/\s+/g, " ");
  const named =
    !whole && type && (type === "array" || type === "object") ? `[${type}] ${line}` : line;
  return named.length > most ? `${named.slice(0, most)}…` : named;
}
