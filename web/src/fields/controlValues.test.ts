import { expect, test } from "vitest";
import {
  choiceKey,
  choiceValue,
  isLocalDateTime,
  jsonProblem,
  toNumber,
  toText,
} from "./controlValues";

test("choices keep their type on the way through a list of options", () => {
  for (const value of ["GET", 5, true, null]) expect(choiceValue(choiceKey(value))).toBe(value);
});

test("values become text that can be edited", () => {
  expect([toText(5), toText(null), toText({ a: 1 }), toText("x")]).toEqual([
    "5",
    "",
    '{\n  "a": 1\n}',
    "x",
  ]);
});

test("a date with a zone is edited as text", () => {
  expect(isLocalDateTime("2026-03-01T09:30:00")).toBe(true);
  expect(isLocalDateTime("2026-03-01T09:30:00Z")).toBe(false);
});

test("JSON is checked unless it is still to be computed", () => {
  expect(jsonProblem('{"a": 1}')).toBeNull();
  expect(jsonProblem("={{ $json }}")).toBeNull();
  expect(jsonProblem("{a}")).not.toBeNull();
});

test("a number that is kept as text is still a number", () => {
  expect([toNumber("12"), toNumber(12), toNumber(""), toNumber("x")]).toEqual([
    12,
    12,
    undefined,
    undefined,
  ]);
});
