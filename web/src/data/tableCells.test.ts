import { expect, test } from "vitest";
import { cellEntries, cellText, columnsOf, lineText, MAX_COLUMNS, searchItems } from "./tableCells";

test("columns appear in the order in which fields first appear", () => {
  expect(columnsOf([{ b: 1 }, { a: 2, b: 3 }, "no object"])).toEqual({
    names: ["b", "a"],
    hidden: 0,
  });
});

test("a table that is too wide says how much is not shown", () => {
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`c${at}`, at]));
  expect(columnsOf([wide])).toMatchObject({ hidden: 100 - MAX_COLUMNS });
});

test("cells are cut, and tell null from what is not there", () => {
  expect([cellText(null), cellText(undefined), cellText(false)]).toEqual(["null", "", "false"]);
  expect(cellText("x".repeat(1000))).toHaveLength(401);
});

test("a nested cell lists its first entries", () => {
  expect(cellEntries([1, 2, 3, 4, 5, 6, 7, 8])).toMatchObject({ more: 2 });
  expect(cellEntries({ a: 1 }).entries).toEqual([["a", 1]]);
});

test("items are found by what their data contains", () => {
  expect(searchItems([{ json: { a: "Ada" } }, { json: { a: "Bo" } }], "ada")).toHaveLength(1);
});

test("a cell on one line says how much is inside", () => {
  expect([lineText([1, 2]), lineText({ a: 1 }), lineText("a\nb"), lineText(undefined)]).toEqual([
    "[ 2 ]",
    "{ 1 }",
    "a b",
    "",
  ]);
});
