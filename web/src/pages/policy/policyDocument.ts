// A policy's text as entries to read. The server decides what a policy means; this is only shown. Pure.

import { type AST, getStaticTOMLValue, ParseError, parseTOML } from "toml-eslint-parser";
import { type EntryKind, isNumeric, type PolicyEntry, TESTS } from "./policyEntry";

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

export function parse(text: string): AST.TOMLProgram | TextProblem {
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

/** The entry at a place, as its table says it. */
export function entryAt(ast: AST.TOMLProgram, kind: EntryKind, index: number): PolicyEntry {
  const given = getStaticTOMLValue(ast) as Record<string, unknown>;
  return readEntry(kind, records(given[kind])[index] ?? {});
}

export function tablesOf(ast: AST.TOMLProgram): AST.TOMLTable[] {
  return ast.body[0].body.filter((one): one is AST.TOMLTable => one.type === "TOMLTable");
}

export function tableOf(ast: AST.TOMLProgram, kind: EntryKind, index: number) {
  return tablesOf(ast).find(
    ({ resolvedKey: key }) => key.length === 2 && key[0] === kind && key[1] === index,
  );
}

export function hasSubtables(ast: AST.TOMLProgram, kind: EntryKind, index: number): boolean {
  return tablesOf(ast).some(
    ({ resolvedKey: key }) => key.length > 2 && key[0] === kind && key[1] === index,
  );
}

/** Whether every key stands on its own line under its plain name. */
export function isPlain(table: AST.TOMLTable): boolean {
  return table.body.every((row) => row.key.keys.length === 1);
}

export function keyName(row: AST.TOMLKeyValue): string {
  const [key] = row.key.keys;
  return key?.type === "TOMLBare" ? key.name : (key?.value ?? "");
}

/** Where the server says that something is wrong: `line 3: tool is unknown`. */
export function readServerProblem(message: string): TextProblem {
  const [, line, rest] = /^line (\d+): ([\s\S]*)$/.exec(message) ?? [];
  return line === undefined
    ? { line: 1, message }
    : { line: Number(line), message: rest ?? message };
}
