import { expect, test } from "vitest";
import {
  ENTRIES_PER_PAGE,
  INITIAL_TREE_STATE,
  showMoreEntries,
  toggleTreeRow,
  treeRows,
  visibleRange,
} from "./treeRows";

const keys = (values: unknown[], state = INITIAL_TREE_STATE) =>
  treeRows(values, state).map((row) => `${" ".repeat(row.depth)}${row.key}`);

test("small data opens by itself", () => {
  expect(keys([{ a: 1, b: { c: 2 } }])).toEqual(["0", " a", " b", "  c"]);
});

test("a row closes and opens again", () => {
  const row = treeRows([{ b: { c: 2 } }], INITIAL_TREE_STATE)[1];
  const closed = toggleTreeRow(INITIAL_TREE_STATE, row?.id ?? "");
  expect(keys([{ b: { c: 2 } }], closed)).toEqual(["0", " b"]);
  expect(keys([{ b: { c: 2 } }], toggleTreeRow(closed, row?.id ?? ""))).toHaveLength(3);
});

test("a long list shows its first entries and lists more when asked", () => {
  const long = { list: Array.from({ length: 100_000 }, (_, at) => at) };
  const list = treeRows([long], INITIAL_TREE_STATE)[1];
  const open = toggleTreeRow(INITIAL_TREE_STATE, list?.id ?? "");
  const rows = treeRows([long], open);
  expect(rows).toHaveLength(2 + ENTRIES_PER_PAGE + 1);
  const last = rows.at(-1);
  expect(last?.more).toBe(100_000 - ENTRIES_PER_PAGE);
  expect(last && treeRows([long], showMoreEntries(open, last))).toHaveLength(
    2 + ENTRIES_PER_PAGE * 6 + 1,
  );
});

test("empty objects and lists have nothing to open", () => {
  expect(treeRows([{ a: {}, b: [] }], INITIAL_TREE_STATE).map((row) => row.open)).toEqual([
    true,
    false,
    false,
  ]);
});

test("only the rows in sight are drawn", () => {
  expect(visibleRange(0, 100, 20, 10_000, 2)).toEqual({ from: 0, to: 7 });
  expect(visibleRange(2000, 100, 20, 10_000, 2)).toEqual({ from: 98, to: 107 });
  expect(visibleRange(9_999_999, 100, 20, 5, 2)).toEqual({ from: 5, to: 5 });
});
