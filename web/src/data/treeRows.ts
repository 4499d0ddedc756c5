/** JSON as a list of lines that open and close, so that only the lines in sight have to be drawn. */

import { type DataType, typeOf } from "./schema";

export interface TreeRow {
  /** Names the row across renderings. */
  id: string;
  path: (string | number)[];
  key: string | number | null;
  depth: number;
  type: DataType;
  value: unknown;
  /** How many entries an object or a list has. */
  size: number;
  open: boolean;
  /** Entries that are not listed until they are asked for. */
  more?: number;
}

/** What has been opened, closed and asked for more, by row id. */
export interface TreeState {
  toggled: ReadonlySet<string>;
  /** How many entries of a row are listed, where it is more than the first. */
  listed: ReadonlyMap<string, number>;
}

export const INITIAL_TREE_STATE: TreeState = { toggled: new Set(), listed: new Map() };

/** Entries that are listed at once. A list of a million entries opens as quickly as one of ten. */
export const ENTRIES_PER_PAGE = 100;
/** Rows open by themselves down to this depth, as long as they are small. */
const OPEN_DEPTH = 3;
const OPEN_SIZE = 30;

/** The rows in sight of some values, one below the other. */
export function treeRows(values: readonly unknown[], state: TreeState): TreeRow[] {
  const rows: TreeRow[] = [];
  for (const [at, value] of values.entries()) appendRows(rows, value, [at], at, 0, state);
  return rows;
}

function appendRows(
  rows: TreeRow[],
  value: unknown,
  path: (string | number)[],
  key: string | number | null,
  depth: number,
  state: TreeState,
): void {
  const id = JSON.stringify(path);
  const type = typeOf(value);
  const entries =
    type === "array" ? (value as unknown[]) : type === "object" ? Object.keys(value as object) : [];
  const size = entries.length;
  const byItself = size > 0 && (depth === 0 || (depth < OPEN_DEPTH && size <= OPEN_SIZE));
  const open = size > 0 && byItself !== state.toggled.has(id);
  rows.push({ id, path, key, depth, type, value, size, open });
  if (!open) return;
  const listed = Math.min(size, state.listed.get(id) ?? ENTRIES_PER_PAGE);
  for (let at = 0; at < listed; at++) {
    const inner = type === "array" ? at : (entries[at] as string);
    appendRows(
      rows,
      (value as Record<string | number, unknown>)[inner],
      [...path, inner],
      inner,
      depth + 1,
      state,
    );
  }
  if (listed < size) {
    rows.push({
      id: `${id}…`,
      path,
      key: null,
      depth: depth + 1,
      type,
      value: undefined,
      size,
      open: false,
      more: size - listed,
    });
  }
}

export function toggleTreeRow(state: TreeState, id: string): TreeState {
  const toggled = new Set(state.toggled);
  if (!toggled.delete(id)) toggled.add(id);
  return { ...state, toggled };
}

export function showMoreEntries(state: TreeState, row: TreeRow): TreeState {
  const id = JSON.stringify(row.path);
  const listed = new Map(state.listed);
  listed.set(id, (listed.get(id) ?? ENTRIES_PER_PAGE) + ENTRIES_PER_PAGE * 5);
  return { ...state, listed };
}

/** The rows of a list that are in sight, with some beyond each edge. */
export function visibleRange(
  scrolled: number,
  height: number,
  rowHeight: number,
  count: number,
  beyond = 12,
): { from: number; to: number } {
  const from = Math.max(0, Math.floor(scrolled / rowHeight) - beyond);
  const to = Math.min(count, Math.ceil((scrolled + height) / rowHeight) + beyond);
  return { from: Math.min(from, count), to };
}
