import { expect, test } from "vitest";
import { formatPath, getIn, isSameJson, moveInList, setParam } from "./paramPath";

test("a value deep inside is read and written by its path", () => {
  const before = { rules: { values: [{ name: "a" }, { name: "b" }] }, other: { kept: 1 } };
  const after = setParam(before, ["rules", "values", 1, "name"], "c");
  expect(getIn(after, ["rules", "values", 1, "name"])).toBe("c");
  expect(getIn(before, ["rules", "values", 1, "name"])).toBe("b");
  expect(after.other).toBe(before.other);
});

test("what is missing on the way is made", () => {
  expect(setParam({}, ["a", 0, "b"], 1)).toEqual({ a: [{ b: 1 }] });
  expect(getIn({ a: "text" }, ["a", "b"])).toBeUndefined();
});

test("undefined takes a value away", () => {
  expect(setParam({ a: 1, b: 2 }, ["a"], undefined)).toEqual({ b: 2 });
  expect(setParam({ a: [1, 2, 3] }, ["a", 1], undefined)).toEqual({ a: [1, 3] });
});

test("entries of a list move, and only inside of it", () => {
  expect(moveInList([1, 2, 3], 2, 0)).toEqual([3, 1, 2]);
  expect(moveInList([1, 2, 3], 2, 3)).toEqual([1, 2, 3]);
});

test("paths read as the server writes them", () => {
  expect(formatPath(["rules", "values", 0, "name"])).toBe("rules.values[0].name");
});

test("equal JSON is equal whatever the order of its keys", () => {
  expect(isSameJson({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
  expect(isSameJson({ a: 1 }, { a: 1, b: null })).toBe(false);
});
