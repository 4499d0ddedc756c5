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
  gives?: ValueKind;
  detail: string;
  help: string;
}

export const ROOTS: readonly RootDoc[] = [
  { name: "$json", role: "json", gives: "object", detail: "object", help: "The data of the current item." },
  {
    name: "$input",
    role: "input",
    detail: "input",
    help: "The input of this node: its items, the current one, the first, the last.",
  },
  { name: "$('Node')", insert: "$('|')", role: "node", detail: "node", help: "The output of another node that came before." },
  { name: "$now", role: "value", gives: "date", detail: "date", help: "This moment, in the workflow's time zone." },
  { name: "$today", role: "value", gives: "date", detail: "date", help: "The beginning of today, in the workflow's time zone." },
  {
    name: "$binary",
    role: "value",
    gives: "object",
    detail: "object",
    help: "The files of the current item: names, types, sizes.",
  },
  { name: "$itemIndex", role: "value", gives: "number", detail: "number", help: "The position of the current item, from 0." },
  {
    name: "$runIndex",
    role: "value",
    gives: "number",
    detail: "number",
    help: "How often this node has run before in this execution.",
  },
  { name: "$workflow", role: "workflow", detail: "workflow", help: "The workflow's id, name and whether it is active." },
  {
    name: "$execution",
    role: "execution",
    detail: "execution",
    help: "The execution's id and mode, and the address that resumes it.",
  },
  { name: "$vars", role: "vars", gives: "object", detail: "variables", help: "Variables that are kept for all workflows." },
  { name: "$prevNode", role: "prevNode", detail: "node", help: "The node that this item came from." },
  { name: "$parameter", role: "value", gives: "object", detail: "object", help: "The other parameters of this node." },
  {
    name: "$if",
    insert: "$if(|)",
    role: "function",
    gives: "unknown",
    detail: "(condition, then, else)",
    help: "One of two values.",
  },
  {
    name: "$ifEmpty",
    insert: "$ifEmpty(|)",
    role: "function",
    gives: "unknown",
    detail: "(value, else)",
    help: "A value, or another one if it is empty.",
  },
  {
    name: "$min",
    insert: "$min(|)",
    role: "function",
    gives: "number",
    detail: "(…numbers)",
    help: "The smallest of several numbers.",
  },
  {
    name: "$max",
    insert: "$max(|)",
    role: "function",
    gives: "number",
    detail: "(…numbers)",
    help: "The largest of several numbers.",
  },
  {
    name: "$jmespath",
    insert: "$jmespath(|)",
    role: "function",
    gives: "unknown",
    detail: "(data, query)",
    help: "What a JMESPath query finds in data.",
  },
  {
    name: "$fromAI",
    insert: "$fromAI('|')",
    role: "function",
    gives: "unknown",
    detail: "(name, description?, type?)",
    help: "A value that the agent decides when it uses this node as a tool.",
  },
  { name: "DateTime", role: "class", detail: "dates", help: "Makes dates: DateTime.fromISO(…), DateTime.fromFormat(…)." },
  { name: "Math", role: "class", detail: "numbers", help: "JavaScript's Math: Math.random(), Math.sqrt(…)." },
  { name: "JSON", role: "class", detail: "JSON", help: "JSON.parse(…) and JSON.stringify(…)." },
  { name: "Object", role: "class", detail: "objects", help: "Object.keys(…), Object.values(…), Object.entries(…)." },
];

export interface MemberDoc {
  name: string;
  args: string | null;
  role: Role;
  gives?: ValueKind;
  help: string;
}

const member = (name: string, args: string | null, role: Role, help: string, gives?: ValueKind): MemberDoc => ({
  name,
  args,
  role,
  help,
  ...(gives !== undefined && { gives }),
});

const OF_ITEM = [
  member("json", null, "json", "The data of the item.", "object"),
  member("binary", null, "value", "The files of the item.", "object"),
];
const OF_DATA = [
  member("item", null, "item", "The item that the current one was made from."),
  member("first", "()", "item", "The first item."),
  member("last", "()", "item", "The last item."),
  member("all", "()", "items", "All items, as a list.", "array"),
];

/** Members by what the name stands for. */
export const MEMBERS: Partial<Record<Role, readonly MemberDoc[]>> = {
  item: OF_ITEM,
  input: [...OF_DATA, member("params", null, "value", "The parameters of the node before.", "object")],
  node: [
    ...OF_DATA,
    member("itemMatching", "(index)", "item", "The item that the item at a position was made from."),
    member("params", null, "value", "The parameters of that node.", "object"),
    member("isExecuted", null, "value", "Whether that node has run.", "boolean"),
  ],
  workflow: [
    member("id", null, "value", "The id of the workflow.", "string"),
    member("name", null, "value", "Its name.", "string"),
    member("active", null, "value", "Whether it is active.", "boolean"),
  ],
  execution: [
    member("id", null, "value", "The id of the execution.", "string"),
    member("mode", null, "value", "test or production.", "string"),
    member("resumeUrl", null, "value", "The address that lets a waiting execution go on.", "string"),
    member("customData", null, "value", "Data that can be searched for in the list of executions.", "object"),
  ],
  prevNode: [
    member("name", null, "value", "The name of the node.", "string"),
    member("outputIndex", null, "value", "The output that the item came from.", "number"),
    member("runIndex", null, "value", "Which run of that node it was.", "number"),
  ],
};

/** Members of JavaScript's own and of the date class. */
export const CLASS_MEMBERS: Record<string, readonly MemberDoc[]> = {
  DateTime: [
    member("fromISO", "(text)", "value", "A date from an ISO 8601 text.", "date"),
    member("fromFormat", "(text, format)", "value", "A date from a text in a pattern.", "date"),
    member("fromMillis", "(number)", "value", "A date from milliseconds since 1970.", "date"),
    member("fromSeconds", "(number)", "value", "A date from seconds since 1970.", "date"),
    member("now", "()", "value", "This moment.", "date"),
  ],
  Math: [
    member("random", "()", "value", "Some number from 0 up to 1.", "number"),
    member("floor", "(number)", "value", "The next whole number below.", "number"),
    member("round", "(number)", "value", "The nearest whole number.", "number"),
    member("min", "(…numbers)", "value", "The smallest.", "number"),
    member("max", "(…numbers)", "value", "The largest.", "number"),
    member("sqrt", "(number)", "value", "The square root.", "number"),
    member("pow", "(base, exponent)", "value", "A power.", "number"),
  ],
  JSON: [
    member("stringify", "(value, null, 2)", "value", "A value as JSON.", "string"),
    member("parse", "(text)", "value", "The value that JSON spells.", "unknown"),
  ],
  Object: [
    member("keys", "(object)", "value", "The names of the fields.", "array"),
    member("values", "(object)", "value", "The values of the fields.", "array"),
    member("entries", "(object)", "value", "Pairs of name and value.", "array"),
  ],
};
