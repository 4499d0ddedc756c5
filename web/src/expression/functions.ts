/** What a value of each type can be asked in an expression: the tables behind completion and its help. */

import { ARRAY_FUNCTIONS, OBJECT_FUNCTIONS } from "./collectionFunctions";
import { DATE_FUNCTIONS } from "./dateFunctions";
import { BOOLEAN_FUNCTIONS, NUMBER_FUNCTIONS, STRING_FUNCTIONS } from "./primitiveFunctions";

export type ValueKind = "string" | "number" | "boolean" | "array" | "object" | "date" | "unknown";

/** One row: name, arguments (none for a property), what it returns, what it does, an example. */
export type FunctionRow = readonly [
  name: string,
  args: string | null,
  returns: ValueKind,
  help: string,
  example?: string,
];

export interface FunctionDoc {
  name: string;
  args: string | null;
  returns: ValueKind;
  help: string;
  example?: string;
}

const ROWS: Record<Exclude<ValueKind, "unknown">, readonly FunctionRow[]> = {
  string: STRING_FUNCTIONS,
  number: NUMBER_FUNCTIONS,
  boolean: BOOLEAN_FUNCTIONS,
  array: ARRAY_FUNCTIONS,
  object: OBJECT_FUNCTIONS,
  date: DATE_FUNCTIONS,
};

export function functionsOf(kind: ValueKind): FunctionDoc[] {
  if (kind === "unknown") return [];
  return ROWS[kind].map(([name, args, returns, help, example]) => ({
    name,
    args,
    returns,
    help,
    ...(example !== undefined && { example }),
  }));
}

export function findFunction(kind: ValueKind, name: string): FunctionDoc | undefined {
  return functionsOf(kind).find((known) => known.name === name);
}

/** The type of a sample as expressions see it. Texts that look like dates stay texts: `toDateTime()` makes a date of them. */
export function valueKind(sample: unknown): ValueKind {
  if (Array.isArray(sample)) return "array";
  switch (typeof sample) {
    case "string":
      return "string";
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "object":
      return sample === null ? "unknown" : "object";
    default:
      return "unknown";
  }
}
