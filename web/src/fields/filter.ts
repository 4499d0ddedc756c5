/** Conditions joined by and/or: their stored shape, the operators of each type, and the changes a form makes to them. */

import { isObject, type Json, type JsonObject } from "../graph/json";
import { typeOfSample } from "./assignments";

export type ValueType = "string" | "number" | "dateTime" | "boolean" | "array" | "object";

export interface Operator {
  type: ValueType;
  operation: string;
  label: string;
  /** The right side is not looked at. */
  single?: boolean;
  /** The type of the right side, where it is another one. */
  rightType?: ValueType | "any";
}

export interface Condition {
  id: string;
  leftValue: Json;
  rightValue: Json;
  operator: {
    type: string;
    operation: string;
    rightType?: string;
    singleValue?: boolean;
    name?: string;
  };
}

export interface Filter {
  options: JsonObject;
  conditions: Condition[];
  combinator: "and" | "or";
}

export const TYPE_LABELS: Record<ValueType, string> = {
  string: "String",
  number: "Number",
  dateTime: "Date & time",
  boolean: "Boolean",
  array: "Array",
  object: "Object",
};

type Row = [
  operation: string,
  label: string,
  more?: { single?: boolean; rightType?: ValueType | "any" },
];

const SINGLE = { single: true };
const COUNT = { rightType: "number" } as const;
const PRESENCE: Row[] = [
  ["exists", "exists", SINGLE],
  ["notExists", "does not exist", SINGLE],
  ["empty", "is empty", SINGLE],
  ["notEmpty", "is not empty", SINGLE],
];
const EQUALITY: Row[] = [
  ["equals", "is equal to"],
  ["notEquals", "is not equal to"],
];

const ROWS: Record<ValueType, Row[]> = {
  string: [
    ...PRESENCE,
    ...EQUALITY,
    ["contains", "contains"],
    ["notContains", "does not contain"],
    ["startsWith", "starts with"],
    ["notStartsWith", "does not start with"],
    ["endsWith", "ends with"],
    ["notEndsWith", "does not end with"],
    ["regex", "matches regex"],
    ["notRegex", "does not match regex"],
  ],
  number: [
    ...PRESENCE,
    ...EQUALITY,
    ["gt", "is greater than"],
    ["lt", "is less than"],
    ["gte", "is greater than or equal to"],
    ["lte", "is less than or equal to"],
  ],
  dateTime: [
    ...PRESENCE,
    ...EQUALITY,
    ["after", "is after"],
    ["before", "is before"],
    ["afterOrEquals", "is after or equal to"],
    ["beforeOrEquals", "is before or equal to"],
  ],
  boolean: [...PRESENCE, ["true", "is true", SINGLE], ["false", "is false", SINGLE], ...EQUALITY],
  array: [
    ...PRESENCE,
    ["contains", "contains", { rightType: "any" }],
    ["notContains", "does not contain", { rightType: "any" }],
    ["lengthEquals", "length is equal to", COUNT],
    ["lengthNotEquals", "length is not equal to", COUNT],
    ["lengthGt", "length is greater than", COUNT],
    ["lengthLt", "length is less than", COUNT],
    ["lengthGte", "length is at least", COUNT],
    ["lengthLte", "length is at most", COUNT],
  ],
  object: PRESENCE,
};

export const OPERATORS: Operator[] = (Object.keys(ROWS) as ValueType[]).flatMap((type) =>
  ROWS[type].map(([operation, label, more]) => ({ type, operation, label, ...more })),
);

export function findOperator(type: string, operation: string): Operator | undefined {
  return OPERATORS.find((operator) => operator.type === type && operator.operation === operation);
}

/** Reads a stored value, whatever is missing in it. */
export function readFilter(value: Json | undefined, fallback: JsonObject): Filter {
  const stored = isObject(value) ? value : {};
  const conditions = Array.isArray(stored.conditions)
    ? stored.conditions.filter(isObject).map(readCondition)
    : [];
  return {
    options: isObject(stored.options) ? stored.options : fallback,
    conditions,
    combinator: stored.combinator === "or" ? "or" : "and",
  };
}

function readCondition(stored: JsonObject): Condition {
  const operator = isObject(stored.operator) ? stored.operator : {};
  const text = (key: string, fallback: string) =>
    typeof operator[key] === "string" ? (operator[key] as string) : fallback;
  return {
    id: typeof stored.id === "string" ? stored.id : "",
    leftValue: stored.leftValue ?? "",
    rightValue: stored.rightValue ?? "",
    operator: { ...operator, type: text("type", "string"), operation: text("operation", "equals") },
  };
}

/** Options of a new filter: the version of the comparison rules goes with the version of the node, as in n8n. */
export function createFilterOptions(
  nodeVersion: number,
  loose: boolean,
  ignoreCase: boolean,
): JsonObject {
  return {
    caseSensitive: !ignoreCase,
    leftValue: "",
    typeValidation: loose ? "loose" : "strict",
    version: nodeVersion >= 2.3 ? 3 : nodeVersion >= 2.2 ? 2 : 1,
  };
}

export function createCondition(
  id: string,
  leftValue: Json = "",
  type: ValueType = "string",
): Condition {
  const operator = findOperator(type, firstOperation(type));
  return { id, leftValue, rightValue: "", operator: operatorOf(operator) };
}

/** The stored form of an operator. */
function operatorOf(operator: Operator | undefined): Condition["operator"] {
  if (!operator) return { type: "string", operation: "equals" };
  const { type, operation, single, rightType } = operator;
  return { type, operation, ...(single && { singleValue: true }), ...(rightType && { rightType }) };
}

/** A condition with another operator. Its values become ones of the new type; a right side that cannot does not survive. */
export function withOperator(condition: Condition, type: string, operation: string): Condition {
  const next = operatorOf(findOperator(type, operation));
  const before = findOperator(condition.operator.type, condition.operator.operation);
  const sameRight =
    (before?.rightType ?? condition.operator.type) === (next.rightType ?? next.type);
  const right = convertValue(condition.rightValue, next.rightType ?? next.type);
  return {
    ...condition,
    operator: next,
    leftValue: convertValue(condition.leftValue, next.type) ?? condition.leftValue,
    rightValue: sameRight ? condition.rightValue : (right ?? ""),
  };
}

/**
 * A condition after a field of the data was dropped on its first value: it compares values of the type the field has. An operator that
 * was chosen stays if that type has it, and one that fits any text stays for text.
 */
export function withDroppedField(
  condition: Condition,
  expression: string,
  sample: unknown,
): Condition {
  const dropped = { ...condition, leftValue: expression };
  const type = typeOfSample(sample);
  const { type: before, operation } = condition.operator;
  if (type === before || sample === undefined || sample === null) return dropped;
  // Dates come as text in JSON.
  if (type === "string" && before === "dateTime") return dropped;
  const kept = findOperator(type, operation) ? operation : firstOperation(type);
  return withOperator(dropped, type, kept);
}

function firstOperation(type: ValueType): string {
  if (type === "boolean") return "true";
  return type === "array" || type === "object" ? "notEmpty" : "equals";
}

/** A fixed value as one of another type; nothing where it cannot be. */
function convertValue(value: Json, type: string): Json | undefined {
  if (typeof value === "string") return parseTyped(value, type);
  return type === "string" && (typeof value === "number" || typeof value === "boolean")
    ? String(value)
    : undefined;
}

export function replaceCondition(filter: Filter, at: number, condition: Condition): Filter {
  return {
    ...filter,
    conditions: filter.conditions.map((one, index) => (index === at ? condition : one)),
  };
}

/**
 * Carries "convert types" and "ignore case" of the node into its filters, because the filter's own options are what the run reads.
 * n8n's editor does the same; without it the two settings would have no effect on a filter that has been saved.
 */
export function withComparison(filter: Filter, loose: boolean, ignoreCase: boolean): Filter {
  const options = {
    ...filter.options,
    caseSensitive: !ignoreCase,
    typeValidation: loose ? "loose" : "strict",
  };
  return { ...filter, options };
}

/**
 * A typed-in text as a value of the type, or the text itself when it is none. While it is being `written`, a number that would read
 * differently (“4.” on the way to “4.5”) stays as it was typed.
 */
export function parseTyped(text: string, type: string, written = false): Json {
  if (text.startsWith("=")) return text;
  const number = Number(text);
  const isNumber = type === "number" && text.trim() !== "" && Number.isFinite(number);
  if (isNumber && (!written || String(number) === text)) return number;
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
