// A policy's text as entries to read, and changes of single entries that leave the rest of the text as it was written. Pure.
//
// The server decides what a policy means. What is read here is only shown, and what is changed here is checked by the server.

import { type AST, getStaticTOMLValue, ParseError, parseTOML } from "toml-eslint-parser";

export type EntryKind = "stop" | "effect" | "rule" | "limit";
export const ACTIONS = ["deny", "approve", "allow", "allow-anywhere"] as const;
export type RuleAction = (typeof ACTIONS)[number];
export const EFFECTS = ["read", "write", "send", "spend"] as const;
export const SCOPES = ["instance", "workflow", "agent", "session", "tool", "server"] as const;
export const TESTS = ["above", "below", "one_of", "none_of"] as const;

export interface ArgumentTest {
  path: string;
  test: (typeof TESTS)[number];
  /** A number, or names separated by commas. */
  value: string;
}

/** Which calls an entry is about: all that match everything that is given. */
export interface CallFilter {
  tools: string[];
  node_types: string[];
  servers: string[];
  workflows: string[];
  agents: string[];
  effects: string[];
  untrusted?: boolean;
  private?: boolean;
  arguments: ArgumentTest[];
}

export interface PolicyEntry extends CallFilter {
  kind: EntryKind;
  /** Empty where it is called by its place. */
  name: string;
  /** Of a rule. */
  action: string;
  /** Of a rule or a stop: what the model is told. */
  reason: string;
  /** Of an effect. */
  effect: string;
  /** Of a limit. */
  per: string;
  calls?: number;
  seconds?: number;
}

export interface PolicyDocument {
  defaultAction: string;
  /** By their place, of each kind. */
  entries: Record<EntryKind, ListedEntry[]>;
}

export interface ListedEntry {
  entry: PolicyEntry;
  /** What it is called, also where it has no name of its own. */
  title: string;
  /** It is written in a way that only the text can change. */
  isTextOnly: boolean;
}

export interface TextProblem {
  line: number;
  /** Counted from 1, where it is known. */
  column?: number;
  message: string;
}

export function newEntry(kind: EntryKind): PolicyEntry {
  return {
    kind,
    name: "",
    tools: [],
    node_types: [],
    servers: [],
    workflows: [],
    agents: [],
    effects: [],
    arguments: [],
    action: kind === "rule" ? "approve" : "",
    reason: "",
    effect: kind === "effect" ? "write" : "",
    per: kind === "limit" ? "session" : "",
    ...(kind === "limit" && { calls: 10, seconds: 3600 }),
  };
}

const KINDS: readonly EntryKind[] = ["stop", "effect", "rule", "limit"];

/** The entries of a text; what is wrong with it where it is not TOML. */
export function readPolicy(text: string): PolicyDocument | TextProblem {
  const ast = parse(text);
  if ("message" in ast) return ast;
  const given = getStaticTOMLValue(ast) as Record<string, unknown>;
  const read = (kind: EntryKind): ListedEntry[] =>
    records(given[kind]).map((values, index) => {
      const entry = readEntry(kind, values);
      const table = tableOf(ast, kind, index);
      return {
        entry,
        title: entry.name || `${kind} ${index + 1}`,
        isTextOnly: !table || !isPlain(table) || hasSubtables(ast, kind, index),
      };
    });
  return {
    defaultAction: given.default === "deny" ? "deny" : "allow",
    entries: Object.fromEntries(KINDS.map((kind) => [kind, read(kind)])) as Record<
      EntryKind,
      ListedEntry[]
    >,
  };
}

export function isProblem(read: PolicyDocument | TextProblem): read is TextProblem {
  return "message" in read;
}

function parse(text: string): AST.TOMLProgram | TextProblem {
  try {
    return parseTOML(text);
  } catch (error) {
    if (!(error instanceof ParseError)) return { line: 1, message: "The text cannot be read here" };
    return { line: error.lineNumber, column: error.column + 1, message: error.message };
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const records = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);
const textOf = (value: unknown) => (typeof value === "string" ? value : "");
const numberOf = (value: unknown) => (typeof value === "number" ? value : undefined);
const flagOf = (value: unknown) => (typeof value === "boolean" ? value : undefined);
const namesOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");

function readEntry(kind: EntryKind, given: Record<string, unknown>): PolicyEntry {
  return {
    kind,
    name: textOf(given.name),
    tools: namesOf(given.tools),
    node_types: namesOf(given.node_types),
    servers: namesOf(given.servers),
    workflows: namesOf(given.workflows),
    agents: namesOf(given.agents),
    effects: namesOf(given.effects),
    untrusted: flagOf(given.untrusted),
    private: flagOf(given.private),
    arguments: records(given.arguments).flatMap((condition) =>
      TESTS.filter((test) => condition[test] !== undefined).map((test) => ({
        path: textOf(condition.path),
        test,
        value: isNumeric(test) ? String(condition[test]) : namesOf(condition[test]).join(", "),
      })),
    ),
    action: textOf(given.action),
    reason: textOf(given.reason),
    effect: textOf(given.effect),
    per: textOf(given.per),
    calls: numberOf(given.calls),
    seconds: numberOf(given.seconds),
  };
}

export function isNumeric(test: ArgumentTest["test"]): boolean {
  return test === "above" || test === "below";
}

/** Names in a field, separated by commas. */
export function splitNames(text: string): string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}

const MAX_WINDOW_SECONDS = 31 * 86_400;
export const isCount = (n: number | undefined) => n !== undefined && Number.isInteger(n) && n >= 0;
export const isWindow = (n: number | undefined) =>
  n !== undefined && n >= 1 && n <= MAX_WINDOW_SECONDS;

/** Why an entry cannot be written; the server says the rest. */
export function entryProblems(entry: PolicyEntry): string[] {
  return [
    ...(entry.kind === "limit" && !isCount(entry.calls) ? ["calls"] : []),
    ...(entry.kind === "limit" && !isWindow(entry.seconds) ? ["seconds"] : []),
    ...entry.arguments.flatMap(testProblems),
  ];
}

/** Which fields of a test lack something. */
export function testProblems({ path, test, value }: ArgumentTest): ("path" | "value")[] {
  const isGiven = isNumeric(test)
    ? value.trim() !== "" && Number.isFinite(Number(value))
    : splitNames(value).length > 0;
  return [
    ...(path.trim() === "" ? (["path"] as const) : []),
    ...(isGiven ? [] : (["value"] as const)),
  ];
}

/** An entry as the keys and values of its table, in the order in which they are written. */
function writtenKeys(entry: PolicyEntry): Map<string, string> {
  const keys = new Map<string, string>();
  const names = (key: string, values: readonly string[]) => {
    const [only] = values;
    if (values.length === 1 && only !== undefined) keys.set(key, quote(only));
    else if (values.length > 1) keys.set(key, list(values));
  };
  if (entry.name) keys.set("name", quote(entry.name));
  names("tools", entry.tools);
  names("node_types", entry.node_types);
  names("servers", entry.servers);
  names("workflows", entry.workflows);
  names("agents", entry.agents);
  if (entry.effects.length > 0) keys.set("effects", list(entry.effects));
  if (entry.untrusted !== undefined) keys.set("untrusted", String(entry.untrusted));
  if (entry.private !== undefined) keys.set("private", String(entry.private));
  if (entry.arguments.length > 0)
    keys.set("arguments", `[${entry.arguments.map(writtenTest).join(", ")}]`);
  if (entry.effect) keys.set("effect", quote(entry.effect));
  if (entry.action) keys.set("action", quote(entry.action));
  if (entry.per) keys.set("per", quote(entry.per));
  if (entry.calls !== undefined) keys.set("calls", String(entry.calls));
  if (entry.seconds !== undefined) keys.set("seconds", String(entry.seconds));
  if (entry.reason) keys.set("reason", quote(entry.reason));
  return keys;
}

function writtenTest({ path, test, value }: ArgumentTest): string {
  const written = isNumeric(test) ? String(Number(value)) : list(splitNames(value));
  return `{ path = ${quote(path)}, ${test} = ${written} }`;
}

const list = (values: readonly string[]) => `[${values.map(quote).join(", ")}]`;

/** A basic string of TOML, whose escapes are those of JSON. */
function quote(text: string): string {
  return JSON.stringify(text).replace(/\u007f/g, "\\u007f");
}

/** Why a text cannot be changed by a form. */
export class TextOnly extends Error {
  constructor() {
    super("This entry is written in a way that the form cannot change. Edit the text instead.");
    this.name = "TextOnly";
  }
}

/** The text with one more entry at its end. */
export function addEntry(text: string, entry: PolicyEntry): string {
  const lines = [...writtenKeys(entry)].map(([key, value]) => `${key} = ${value}\n`);
  const before = text.trimEnd();
  const next = `${before === "" ? "" : `${before}\n\n`}[[${entry.kind}]]\n${lines.join("")}`;
  return checked(next, entry, undefined);
}

/** The text with an entry changed: lines that say the same, and comments, stay. */
export function changeEntry(text: string, index: number, entry: PolicyEntry): string {
  const ast = parse(text);
  const table = "message" in ast ? undefined : tableOf(ast, entry.kind, index);
  if ("message" in ast || !table || !isPlain(table) || hasSubtables(ast, entry.kind, index))
    throw new TextOnly();
  const wanted = writtenKeys(entry);
  const given = records((getStaticTOMLValue(ast) as Record<string, unknown>)[entry.kind])[index];
  const before = writtenKeys(readEntry(entry.kind, given ?? {}));
  const edits: Edit[] = [];
  let end = lineEnd(text, table.key.range[1]);
  for (const row of table.body) {
    const key = keyName(row);
    const value = wanted.get(key);
    if (value === undefined) {
      edits.push({
        from: lineStart(text, row.range[0]),
        to: lineEnd(text, row.range[1]),
        text: "",
      });
    } else if (before.get(key) !== value) {
      edits.push({ from: row.value.range[0], to: row.value.range[1], text: value });
    }
    end = Math.max(end, lineEnd(text, row.range[1]));
    wanted.delete(key);
  }
  const added = [...wanted].map(([key, value]) => `${key} = ${value}\n`).join("");
  const needsBreak = added !== "" && text[end - 1] !== "\n";
  edits.push({ from: end, to: end, text: needsBreak ? `\n${added}` : added });
  return checked(applyEdits(text, edits), entry, index);
}

/** The text without an entry, nor the comment right above it. */
export function removeEntry(text: string, kind: EntryKind, index: number): string {
  const ast = parse(text);
  if ("message" in ast) throw new TextOnly();
  const tables = tablesOf(ast).filter(
    ({ resolvedKey: [first, second] }) => first === kind && second === index,
  );
  if (tables.length === 0) throw new TextOnly();
  const edits = tables.map((table): Edit => {
    const last = table.body.at(-1)?.range[1] ?? table.key.range[1];
    const from = commentStart(text, lineStart(text, table.range[0]));
    return { from, to: blankEnd(text, lineEnd(text, last)), text: "" };
  });
  return applyEdits(text, edits);
}

/** The text with another answer for calls that no rule is about. */
export function setDefault(text: string, action: "allow" | "deny"): string {
  const ast = parse(text);
  if ("message" in ast) throw new TextOnly();
  const row = ast.body[0].body.find(
    (one): one is AST.TOMLKeyValue => one.type === "TOMLKeyValue" && keyName(one) === "default",
  );
  if (row)
    return applyEdits(text, [
      { from: row.value.range[0], to: row.value.range[1], text: quote(action) },
    ]);
  const comment = /^(?:#[^\n]*\n)*/.exec(text)?.[0] ?? "";
  const rest = text.slice(comment.length);
  const gap = rest === "" || rest.startsWith("\n") ? "" : "\n";
  return `${comment}default = ${quote(action)}\n${gap}${rest}`;
}

interface Edit {
  from: number;
  to: number;
  text: string;
}

function applyEdits(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((one, other) => other.from - one.from)
    .reduce((now, edit) => now.slice(0, edit.from) + edit.text + now.slice(edit.to), text);
}

/** Gives the text if the entry is in it as it was meant. */
function checked(text: string, entry: PolicyEntry, index: number | undefined): string {
  const read = readPolicy(text);
  if (isProblem(read)) throw new TextOnly();
  const found =
    index === undefined ? read.entries[entry.kind].at(-1) : read.entries[entry.kind][index];
  const written = (one: PolicyEntry) => JSON.stringify([...writtenKeys(one)]);
  if (!found || written(found.entry) !== written(entry)) throw new TextOnly();
  return text;
}

function tablesOf(ast: AST.TOMLProgram): AST.TOMLTable[] {
  return ast.body[0].body.filter((one): one is AST.TOMLTable => one.type === "TOMLTable");
}

function tableOf(ast: AST.TOMLProgram, kind: EntryKind, index: number) {
  return tablesOf(ast).find(
    ({ resolvedKey: key }) => key.length === 2 && key[0] === kind && key[1] === index,
  );
}

function hasSubtables(ast: AST.TOMLProgram, kind: EntryKind, index: number): boolean {
  return tablesOf(ast).some(
    ({ resolvedKey: key }) => key.length > 2 && key[0] === kind && key[1] === index,
  );
}

/** Whether every key stands on its own line under its plain name. */
function isPlain(table: AST.TOMLTable): boolean {
  return table.body.every((row) => row.key.keys.length === 1);
}

function keyName(row: AST.TOMLKeyValue): string {
  const [key] = row.key.keys;
  return key?.type === "TOMLBare" ? key.name : (key?.value ?? "");
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** Behind the end of the line. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

/** Behind the blank lines that follow. */
function blankEnd(text: string, at: number): number {
  const blank = /^(?:[ \t]*\n)*/.exec(text.slice(at))?.[0] ?? "";
  return at + blank.length;
}

/** Where the comment right above a line begins, unless it is the one at the top of the file. */
function commentStart(text: string, line: number): number {
  let from = line;
  while (from > 0) {
    const above = lineStart(text, from - 1);
    if (!text.slice(above, from).trimStart().startsWith("#")) return from;
    from = above;
  }
  return line;
}

/** Where the server says that something is wrong: `line 3: tool is unknown`. */
export function readServerProblem(message: string): TextProblem {
  const [, line, rest] = /^line (\d+): ([\s\S]*)$/.exec(message) ?? [];
  return line === undefined
    ? { line: 1, message }
    : { line: Number(line), message: rest ?? message };
}
