import { expect, test } from "vitest";
import {
  createCondition,
  createFilterOptions,
  findOperator,
  OPERATORS,
  parseTyped,
  readFilter,
  withComparison,
  withDroppedField,
  withOperator,
} from "./filter";

test("a stored filter is read whatever is missing in it", () => {
  const fallback = createFilterOptions(2.2, false, false);
  expect(readFilter({}, fallback)).toEqual({
    options: fallback,
    conditions: [],
    combinator: "and",
  });
  const read = readFilter({ combinator: "or", conditions: [{ leftValue: 1 }] }, fallback);
  expect(read.conditions[0]).toEqual({
    id: "",
    leftValue: 1,
    rightValue: "",
    operator: { type: "string", operation: "equals" },
  });
});

test("no operator is there twice", () => {
  const names = OPERATORS.map((operator) => `${operator.type}:${operator.operation}`);
  expect(new Set(names).size).toBe(names.length);
});

test("an operator that looks at one side says so, as the engine expects", () => {
  const condition = withOperator(createCondition("1"), "boolean", "true");
  expect(condition.operator).toEqual({ type: "boolean", operation: "true", singleValue: true });
});

test("the length of a list is compared with a number", () => {
  expect(findOperator("array", "lengthGt")?.rightType).toBe("number");
});

test("a right side of another type does not survive a change of operator", () => {
  const condition = { ...createCondition("1", "", "number"), rightValue: 5 };
  expect(withOperator(condition, "number", "gt").rightValue).toBe(5);
  expect(withOperator(condition, "boolean", "equals").rightValue).toBe("");
});

test("values go along to the type of a new operator", () => {
  const condition = { ...createCondition("1"), leftValue: "5", rightValue: "4.5" };
  expect(withOperator(condition, "number", "gt")).toMatchObject({ leftValue: 5, rightValue: 4.5 });
  const back = withOperator(withOperator(condition, "number", "gt"), "string", "equals");
  expect(back).toMatchObject({ leftValue: "5", rightValue: "4.5" });
  expect(
    withOperator({ ...condition, leftValue: "={{ $json.n }}" }, "number", "gt").leftValue,
  ).toBe("={{ $json.n }}");
});

test("a number on the way to its fraction stays as it is typed", () => {
  expect(["4", "4.", "4.5", "4.50", "-"].map((text) => parseTyped(text, "number", true))).toEqual([
    4,
    "4.",
    4.5,
    "4.50",
    "-",
  ]);
  expect(parseTyped("4.50", "number")).toBe(4.5);
});

test("the version of the rules goes with the node's", () => {
  expect(
    [2, 2.2, 2.3].map((version) => createFilterOptions(version, false, false).version),
  ).toEqual([1, 2, 3]);
});

test("loose comparison and ignored case reach the filter's own options", () => {
  const filter = withComparison(readFilter({}, createFilterOptions(2.2, false, false)), true, true);
  expect(filter.options).toMatchObject({ typeValidation: "loose", caseSensitive: false });
});

test("typed-in text becomes a value of its type where it is one", () => {
  expect([
    parseTyped("5", "number"),
    parseTyped("5x", "number"),
    parseTyped("true", "boolean"),
    parseTyped("5", "string"),
  ]).toEqual([5, "5x", true, "5"]);
});

test("a dropped field brings the operators of its type", () => {
  const text = createCondition("1");
  const number = withDroppedField(text, "={{ $json.n }}", 12);
  expect(number).toMatchObject({
    leftValue: "={{ $json.n }}",
    operator: { type: "number", operation: "equals" },
  });
  expect(withDroppedField(text, "={{ $json.on }}", true).operator.operation).toBe("equals");
  expect(withDroppedField(text, "={{ $json.list }}", [1]).operator).toMatchObject({
    type: "array",
    operation: "notEmpty",
  });
});

test("an operator that was chosen stays where the type of a dropped field has it", () => {
  const above = withOperator(createCondition("1"), "number", "gt");
  expect(withDroppedField(above, "={{ $json.n }}", 3).operator.operation).toBe("gt");
  const after = withOperator(createCondition("1"), "dateTime", "after");
  expect(withDroppedField(after, "={{ $json.at }}", "2026-01-01").operator.operation).toBe("after");
  expect(withDroppedField(above, "={{ $json.x }}", null).operator.type).toBe("number");
});
