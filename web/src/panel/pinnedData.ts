/** Pinned data as text that a person edits: how it is written, and what is wrong with what was typed. */

import type { PinnedItem } from "../api/workflowDocument";

/** More than this in a document makes every save slow. */
export const MAX_PINNED_BYTES = 4_000_000;

export type ParsedPins = { items: PinnedItem[] } | { problem: string };

/** Items without files are written as their data alone, which is what people type. */
export function formatPinned(items: readonly PinnedItem[]): string {
  const plain = items.every((item) => !item.binary);
  return JSON.stringify(
    plain
      ? items.map((item) => item.json)
      : items.map(({ json, binary }) => ({ json, ...(binary && { binary }) })),
    null,
    2,
  );
}

export function parsePinned(text: string): ParsedPins {
  if (text.trim() === "")
    return { problem: 'Enter an array of objects, such as [{ "name": "Ada" }].' };
  if (text.length > MAX_PINNED_BYTES)
    return {
      problem: `The data is ${Math.round(text.length / 1_000_000)} MB. Pin at most 4 MB, for example only the first items.`,
    };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return {
      problem: `Invalid JSON: ${error instanceof Error ? error.message : "could not parse"}.`,
    };
  }
  const list = Array.isArray(value) ? value : [value];
  const items: PinnedItem[] = [];
  for (const [at, entry] of list.entries()) {
    if (!isRecord(entry))
      return {
        problem: `Item ${at + 1} is not an object. Every item must be an object, such as { "name": "Ada" }.`,
      };
    items.push(isItem(entry) ? (entry as unknown as PinnedItem) : { json: entry });
  }
  return { items };
}

/** Whether an entry has the shape of an item already, as data that was copied from a workflow has. */
function isItem(entry: Record<string, unknown>): boolean {
  const known = ["json", "binary", "pairedItem", "error"];
  return isRecord(entry.json) && Object.keys(entry).every((key) => known.includes(key));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
