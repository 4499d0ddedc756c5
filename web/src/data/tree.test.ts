import { expect, test } from "vitest";
import { AT_ONCE, listMore, NOTHING_TOGGLED, toggle, treeRows, windowOf } from "./tree";

const keys = (values: unknown[], state = NOTHING_TOGGLED) =>
  treeRows(values, state).map((row) => `${" ".repeat(row.depth)}${row.key}`);

test("small data opens by itself", () => {
  expect(keys([{ a: 1, b: { c: 2 } }])).toEqual(["0", " a", " b", "  c"]);
});

test("a row closes and opens again", () => {
  const row = treeRows([{ b: { c: 2 } }], NOTHING_TOGGLED)[1];
  const closed = toggle(NOTHING_TOGGLED, row?.id ?? "");
  expect(keys([{ b: { c: 2 } }], closed)).toEqual(["0", " b"]);
  expect(keys([{ b: { c: 2 } }], toggle(closed, row?.id ?? ""))).toHaveLength(3);
});

test("a long list shows its first entries and lists more when asked", () => {
  const long = { list: Array.from({ length: 100_000 }, (_, at) => at) };
  const list = treeRows([long], NOTHING_TOGGLED)[1];
  const open = toggle(NOTHING_TOGGLED, list?.id ?? "");
  const rows = treeRows([long], open);
  expect(rows).toHaveLength(2 + AT_ONCE + 1);
  const last = rows.at(-1);
  expect(last?.more).toBe(100_000 - AT_ONCE);
  expect(last && treeRows([long], listMore(open, last))).toHaveLength(2 + AT_ONCE * 6 + 1);
});

test("empty objects and lists have nothing to open", () => {
  expect(treeRows([{ a: {}, b: [] }], NOTHING_TOGGLED).map((row) => row.open)).toEqual([true, false, false]);
});

test("only the rows in sight are drawn", () => {
  expect(windowOf(0, 100, 20, 10_000, 2)).toEqual({ from: 0, to: 7 });
  expect(windowOf(2000, 100, 20, 10_000, 2)).toEqual({ from: 98, to: 107 });
  expect(windowOf(9_999_999, 100, 20, 5, 2)).toEqual({ from: 5, to: 5 });
});
