import { expect, test } from "vitest";
import { resultText } from "./resultText";

test("a result fits on its line and says when it is empty", () => {
  expect(resultText({ value: "a\nb", text: "a\nb", type: "string" }, false)).toBe("a b");
  expect(resultText({ value: "", text: "" }, false)).toBe("[empty]");
  expect(resultText({}, false)).toBe("undefined");
  expect(resultText({ value: "x".repeat(999) }, false)).toHaveLength(301);
});

test("objects are told by their type on a line, and written out where there is room", () => {
  expect(resultText({ value: { a: 1 }, type: "object" }, false)).toBe('[object] {"a":1}');
  expect(resultText({ value: { a: 1 }, type: "object" }, true)).toBe('{\n  "a": 1\n}');
});
