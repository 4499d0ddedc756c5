import { expect, it } from "vitest";
import { selectAllState, updateSelection } from "./rowSelection";

const ORDER = ["a", "b", "c", "d"];

it("chooses one row and lets it go", () => {
  const one = updateSelection(new Set(), ORDER, "b", true);
  expect([...one]).toEqual(["b"]);
  expect(updateSelection(one, ORDER, "b", false).size).toBe(0);
});

it("chooses everything between two rows, in either direction", () => {
  expect([...updateSelection(new Set(["a"]), ORDER, "c", true, "a")]).toEqual(["a", "b", "c"]);
  expect([...updateSelection(new Set(["d"]), ORDER, "b", true, "d")].sort()).toEqual([
    "b",
    "c",
    "d",
  ]);
});

it("chooses the row alone when the one before has gone", () => {
  expect([...updateSelection(new Set(), ORDER, "c", true, "gone")]).toEqual(["c"]);
});

it("says whether all, some or none of the rows in sight are chosen", () => {
  expect(selectAllState(new Set(), ORDER)).toBe(false);
  expect(selectAllState(new Set(["a", "elsewhere"]), ORDER)).toBe("indeterminate");
  expect(selectAllState(new Set(ORDER), ORDER)).toBe(true);
});
