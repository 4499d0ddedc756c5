import { expect, test } from "vitest";
import { formatPinned, parsePinned } from "./pinnedData";

test("pinned data is written as people type it and read back", () => {
  const items = [{ json: { a: 1 } }];
  expect(formatPinned(items)).toBe('[\n  {\n    "a": 1\n  }\n]');
  expect(parsePinned(formatPinned(items))).toEqual({ items });
});

test("items copied from a workflow are taken as items", () => {
  expect(parsePinned('[{"json": {"a": 1}, "binary": {}}]')).toEqual({
    items: [{ json: { a: 1 }, binary: {} }],
  });
  expect(parsePinned('[{"json": {"a": 1}, "other": 2}]')).toEqual({
    items: [{ json: { json: { a: 1 }, other: 2 } }],
  });
});

test("one object is one item", () => {
  expect(parsePinned('{"a": 1}')).toEqual({ items: [{ json: { a: 1 } }] });
});

test("what is wrong is said with where", () => {
  expect(parsePinned("[1]")).toEqual({
    problem: expect.stringContaining("Item 1 is not an object"),
  });
  expect(parsePinned("[{]")).toEqual({ problem: expect.stringContaining("Invalid JSON") });
  expect(parsePinned("")).toEqual({ problem: expect.stringContaining("Enter an array") });
});
