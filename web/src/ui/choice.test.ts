import { expect, it } from "vitest";
import { allChosen, chosenAfter } from "./choice";

const ORDER = ["a", "b", "c", "d"];

it("chooses one row and lets it go", () => {
  const one = chosenAfter(new Set(), ORDER, "b", true);
  expect([...one]).toEqual(["b"]);
  expect(chosenAfter(one, ORDER, "b", false).size).toBe(0);
});

it("chooses everything between two rows, in either direction", () => {
  expect([...chosenAfter(new Set(["a"]), ORDER, "c", true, "a")]).toEqual(["a", "b", "c"]);
  expect([...chosenAfter(new Set(["d"]), ORDER, "b", true, "d")].sort()).toEqual(["b", "c", "d"]);
});

it("chooses the row alone when the one before has gone", () => {
  expect([...chosenAfter(new Set(), ORDER, "c", true, "gone")]).toEqual(["c"]);
});

it("says whether all, some or none of the rows in sight are chosen", () => {
  expect(allChosen(new Set(), ORDER)).toBe(false);
  expect(allChosen(new Set(["a", "elsewhere"]), ORDER)).toBe("indeterminate");
  expect(allChosen(new Set(ORDER), ORDER)).toBe(true);
});
