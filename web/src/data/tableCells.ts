/** Items as rows and columns: which columns there are, and what a cell shows. */

import { typeOf } from "./schema";

/** Wider tables are read in the schema or as JSON. */
export const MAX_COLUMNS = 40;

export interface Columns {
  names: string[];
  /** How many more there are. */
  hidden: number;
}

/** Every field of the first level, in the order in which they first appear. */
export function columnsOf(items: readonly unknown[]): Columns {
  const names = new Set<string>();
  for (const item of items) {
    if (typeOf(item) !== "object") continue;
    for (const name of Object.keys(item as object)) names.add(name);
  }
  const all = [...names];
  return { names: all.slice(0, MAX_COLUMNS), hidden: Math.max(0, all.length - MAX_COLUMNS) };
}

export const MAX_CELL_CHARS = 400;

/** A plain value in a cell; objects and lists are drawn as small trees. */
export function cellText(value: unknown): string {
  if (value === undefined) return "";
  if (value === null) return "null";
  const text = typeof value === "string" ? value : String(value);
  return text.length > MAX_CELL_CHARS ? `${text.slice(0, MAX_CELL_CHARS)}…` : text;
}

/** Entries of a nested value that a cell lists before it says how many more there are. */
export const MAX_CELL_ENTRIES = 6;

export function cellEntries(value: unknown): {
  entries: [string | number, unknown][];
  more: number;
} {
  const all: [string | number, unknown][] = Array.isArray(value)
    ? value.slice(0, MAX_CELL_ENTRIES).map((entry, at) => [at, entry])
    : Object.entries(value as Record<string, unknown>).slice(0, MAX_CELL_ENTRIES);
  const size = Array.isArray(value) ? value.length : Object.keys(value as object).length;
  return { entries: all, more: size - all.length };
}

/** A value on one line: what a cell shows where there are too many of them to be drawn richly. */
export function lineText(value: unknown): string {
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value) ? `[ ${value.length} ]` : `{ ${Object.keys(value).length} }`;
  }
  return cellText(value).slice(0, MAX_LINE_CHARS).replace(/\s+/g, " ");
}

const MAX_LINE_CHARS = 120;

/** With more cells than this a table has one line for each item, and draws only those in sight. */
export const MAX_RICH_CELLS = 600;

/** Items whose data contains the words: the search of data that is here already, such as pinned items. */
export function searchItems<T extends { json?: unknown }>(
  items: readonly T[],
  search: string,
): T[] {
  const words = search.trim().toLowerCase();
  if (words === "") return [...items];
  return items.filter((item) =>
    JSON.stringify(item.json ?? {})
      .toLowerCase()
      .includes(words),
  );
}
