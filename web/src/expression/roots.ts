/** The names an expression can begin with, and the members of those that are no plain data. */

import type { ValueKind } from "./functions";

/** What a name stands for, so that its members can be looked up. */
export type Role =
  | "value"
  | "json"
  | "input"
  | "node"
  | "item"
  | "items"
  | "workflow"
  | "execution"
  | "vars"
  | "function"
  | "prevNode"
  | "class";

export interface RootDoc {
  name: string;
  /** Put in instead of the name; `|` marks where the cursor goes. */
  insert?: string;
  role: Role;
  returns?: ValueKind;
  detail: string;
  help: string;
}

export const ROOTS: readonly RootDoc[] = [
  {
    name: "$json",
    role: "json",
    returns: "object",
    detail: "object",
    help: "The data of the current item.",
  },
  {
    name: "$input",
    role: "input",
    detail: "input",
    help: "The input of this node: all items, the current one, the first, the last.",
  },
  {
    name: "$('Node')",
    insert: "$('|')",
    role: "node",
    detail: "node",
    help: "The output of a previous node.",
  },
  {
    name: "$now",
    role: "value",
    returns: "date",
    detail: "date",
    help: "The current date and time in the workflow's time zone.",
  },
  {
    name: "$today",
    role: "value",
    returns: "date",
    detail: "date",
    help: "The start of today in the workflow's time zone.",
  },
  {
    name: "$binary",
    role: "value",
    returns: "object",
    detail: "object",
    help: "The files of the current item: names, types, sizes.",
  },
  {
    name: "$itemIndex",
    role: "value",
    returns: "number",
    detail: "number",
    help: "The index of the current item, starting at 0.",
  },
  {
    name: "$runIndex",
    role: "value",
    returns: "number",
    detail: "number",
    help: "How many times this node has already run in this execution.",
  },
  {
    name: "$workflow",
    role: "workflow",
    detail: "workflow",
    help: "The workflow's ID, name and active state.",
  },
  {
    name: "$execution",
    role: "execution",
    detail: "execution",
    help: "The execution's ID, mode and resume URL.",
  },
  {
    name: "$vars",
    role: "vars",
    returns: "object",
    detail: "variables",
    help: "Variables shared by all workflows.",
  },
  {
    name: "$prevNode",
    role: "prevNode",
    detail: "node",
    help: "The node that this item came from.",
  },
  {
    name: "$parameter",
    role: "value",
    returns: "object",
    detail: "object",
    help: "The other parameters of this node.",
  },
  {
    name: "$if",
    insert: "$if(|)",
    role: "function",
    returns: "unknown",
    detail: "(condition, then, else)",
    help: "Returns one of two values, depending on a condition.",
  },
  {
    name: "$ifEmpty",
    insert: "$ifEmpty(|)",
    role: "function",
    returns: "unknown",
    detail: "(value, else)",
    help: "Returns a value, or a fallback if it is empty.",
  },
  {
    name: "$min",
    insert: "$min(|)",
    role: "function",
    returns: "number",
    detail: "(…numbers)",
    help: "Returns the smallest number.",
  },
  {
    name: "$max",
    insert: "$max(|)",
    role: "function",
    returns: "number",
    detail: "(…numbers)",
    help: "Returns the largest number.",
  },
  {
    name: "$jmespath",
    insert: "$jmespath(|)",
    role: "function",
    returns: "unknown",
    detail: "(data, query)",
    help: "Runs a JMESPath query on data.",
  },
  {
    name: "$fromAI",
    insert: "$fromAI('|')",
    role: "function",
    returns: "unknown",
    detail: "(name, description?, type?)",
    help: "A value the agent fills in when it calls this node as a tool.",
  },
  {
    name: "DateTime",
    role: "class",
    detail: "dates",
    help: "Creates dates: DateTime.fromISO(…), DateTime.fromFormat(…).",
  },
  {
    name: "Math",
    role: "class",
    detail: "numbers",
    help: "JavaScript's Math: Math.random(), Math.sqrt(…).",
  },
  { name: "JSON", role: "class", detail: "JSON", help: "JSON.parse(…) and JSON.stringify(…)." },
  {
    name: "Object",
    role: "class",
    detail: "objects",
    help: "Object.keys(…), Object.values(…), Object.entries(…).",
  },
];

export interface MemberDoc {
  name: string;
  args: string | null;
  role: Role;
  returns?: ValueKind;
  help: string;
}

const member = (
  name: string,
  args: string | null,
  role: Role,
  help: string,
  gives?: ValueKind,
): MemberDoc => ({
  name,
  args,
  role,
  help,
  ...(gives !== undefined && { returns: gives }),
});

const ITEM_MEMBERS = [
  member("json", null, "json", "The data of the item.", "object"),
  member("binary", null, "value", "The files of the item.", "object"),
];
const DATA_MEMBERS = [
  member("item", null, "item", "The item that the current item was created from."),
  member("first", "()", "item", "The first item."),
  member("last", "()", "item", "The last item."),
  member("all", "()", "items", "All items as an array.", "array"),
];

/** Members by what the name stands for. */
export const MEMBERS: Partial<Record<Role, readonly MemberDoc[]>> = {
  item: ITEM_MEMBERS,
  input: [
    ...DATA_MEMBERS,
    member("params", null, "value", "The parameters of the previous node.", "object"),
  ],
  node: [
    ...DATA_MEMBERS,
    member(
      "itemMatching",
      "(index)",
      "item",
      "The item that the item at an index was created from.",
    ),
    member("params", null, "value", "The parameters of that node.", "object"),
    member("isExecuted", null, "value", "True if that node has run.", "boolean"),
  ],
  workflow: [
    member("id", null, "value", "The workflow ID.", "string"),
    member("name", null, "value", "The workflow name.", "string"),
    member("active", null, "value", "True if the workflow is active.", "boolean"),
  ],
  execution: [
    member("id", null, "value", "The execution ID.", "string"),
    member("mode", null, "value", "test or production.", "string"),
    member("resumeUrl", null, "value", "The URL that resumes a waiting execution.", "string"),
    member(
      "customData",
      null,
      "value",
      "Custom data that can be searched in the execution list.",
      "object",
    ),
  ],
  prevNode: [
    member("name", null, "value", "The name of the node.", "string"),
    member(
      "outputIndex",
      null,
      "value",
      "The index of the output that the item came from.",
      "number",
    ),
    member("runIndex", null, "value", "The run index of that node.", "number"),
  ],
};

/** Members of JavaScript's own and of the date class. */
export const CLASS_MEMBERS: Record<string, readonly MemberDoc[]> = {
  DateTime: [
    member("fromISO", "(text)", "value", "Creates a date from an ISO 8601 string.", "date"),
    member(
      "fromFormat",
      "(text, format)",
      "value",
      "Creates a date from a string and a format pattern.",
      "date",
    ),
    member(
      "fromMillis",
      "(number)",
      "value",
      "Creates a date from milliseconds since 1970.",
      "date",
    ),
    member("fromSeconds", "(number)", "value", "Creates a date from seconds since 1970.", "date"),
    member("now", "()", "value", "Returns the current date and time.", "date"),
  ],
  Math: [
    member("random", "()", "value", "Returns a random number from 0 to 1.", "number"),
    member("floor", "(number)", "value", "Rounds down.", "number"),
    member("round", "(number)", "value", "Rounds to the nearest integer.", "number"),
    member("min", "(…numbers)", "value", "Returns the smallest number.", "number"),
    member("max", "(…numbers)", "value", "Returns the largest number.", "number"),
    member("sqrt", "(number)", "value", "Returns the square root.", "number"),
    member("pow", "(base, exponent)", "value", "Raises a number to a power.", "number"),
  ],
  JSON: [
    member("stringify", "(value, null, 2)", "value", "Converts a value to JSON.", "string"),
    member("parse", "(text)", "value", "Parses JSON.", "unknown"),
  ],
  Object: [
    member("keys", "(object)", "value", "Returns the field names.", "array"),
    member("values", "(object)", "value", "Returns the field values.", "array"),
    member("entries", "(object)", "value", "Returns name and value pairs.", "array"),
  ],
};
