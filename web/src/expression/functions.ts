/** What a value of each type can be asked in an expression: the tables behind completion and its help. */

import { DATES } from "./functions-of-dates";
import { ARRAYS, OBJECTS } from "./functions-of-lists";
import { BOOLEANS, NUMBERS, STRINGS } from "./functions-of-texts";

export type ValueKind = "string" | "number" | "boolean" | "array" | "object" | "date" | "unknown";

/** One row: name, arguments (none for a property), what it gives, what it does, an example. */
export type FunctionRow = readonly [name: string, args: string | null, gives: ValueKind, help: string, example?: string];

export interface FunctionDoc {
  name: string;
  args: string | null;
  gives: ValueKind;
  help: string;
  example?: string;
}

const ROWS: Record<Exclude<ValueKind, "unknown">, readonly FunctionRow[]> = {
  string: STRINGS,
  number: NUMBERS,
  boolean: BOOLEANS,
  array: ARRAYS,
  object: OBJECTS,
  date: DATES,
};

export function functionsOf(kind: ValueKind): FunctionDoc[] {
  if (kind === "unknown") return [];
  return ROWS[kind].map(([name, args, gives, help, example]) => ({
    name,
    args,
    gives,
    help,
    ...(example !== undefined && { example }),
  }));
}

export function findFunction(kind: ValueKind, name: string): FunctionDoc | undefined {
  return functionsOf(kind).find((known) => known.name === name);
}

/** The type of a sample as expressions see it. Texts that look like dates stay texts: `toDateTime()` makes a date of them. */
export function kindOf(sample: unknown): ValueKind {
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
