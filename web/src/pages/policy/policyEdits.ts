// Changes of single entries of a policy's text, which leave the rest as it was written. The server checks what comes of it. Pure.

import type { AST } from "toml-eslint-parser";
import {
  entryAt,
  hasSubtables,
  isPlain,
  isProblem,
  keyName,
  type PolicyDocument,
  parse,
  readPolicy,
  tableOf,
  tablesOf,
} from "./policyDocument";
import {
  type ArgumentTest,
  type EntryKind,
  isNumeric,
  type PolicyEntry,
  splitNames,
} from "./policyEntry";

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
  const before = writtenKeys(entryAt(ast, entry.kind, index));
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

/**
 * A draft with the stops that were added and removed since it was begun; nothing where more than stops has changed, or a text
 * does not tell.
 */
export function mergeStops(base: string, now: string, draft: string): string | null {
  const [before, after, mine] = [base, now, draft].map(readPolicy);
  if (!before || !after || !mine || isProblem(before) || isProblem(after) || isProblem(mine))
    return null;
  const titles = (read: PolicyDocument) => read.entries.stop.map((stop) => stop.title);
  const gone = new Set(titles(before).filter((title) => !titles(after).includes(title)));
  const known = new Set([...titles(before), ...titles(mine)]);
  try {
    if (withoutStops(base) !== withoutStops(now)) return null;
    const kept = titles(mine).reduceRight(
      (text, title, index) => (gone.has(title) ? removeEntry(text, "stop", index) : text),
      draft,
    );
    const added = after.entries.stop.filter((stop) => !known.has(stop.title));
    return added.reduce((text, stop) => addEntry(text, stop.entry), kept);
  } catch (error) {
    if (error instanceof TextOnly) return null;
    throw error;
  }
}

function withoutStops(text: string): string {
  const read = readPolicy(text);
  if (isProblem(read)) throw new TextOnly();
  return read.entries.stop
    .reduceRight((left, _, index) => removeEntry(left, "stop", index), text)
    .trimEnd();
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
