/** What can be written at a place of an expression: fields of the data, functions of the value before the dot, names of nodes. */

import { toAccessor } from "../graph/template";
import type { ExpressionScope } from "../store/formContext";
import { findFunction, functionsOf, type ValueKind, valueKind } from "./functions";
import { type ChainLink, chainBefore, parseLiteral } from "./memberChain";
import { CLASS_MEMBERS, MEMBERS, type MemberDoc, ROOTS, type Role } from "./roots";

export interface Suggestion {
  label: string;
  /** Written instead of the label; `|` marks where the cursor goes. */
  insert: string;
  kind: "field" | "function" | "root" | "node";
  detail: string;
  help: string;
  example?: string;
}

export interface Suggestions {
  /** The text from here on is replaced; where an insertion begins with a bracket, the dot before goes too. */
  from: number;
  list: Suggestion[];
}

/** Suggestions at a position inside the code between `{{` and `}}`. */
export function suggest(
  code: string,
  position: number,
  known: ExpressionScope,
): Suggestions | null {
  const name = insideNodeName(code, position);
  if (name)
    return {
      from: name.from,
      list: known.nodes.map((node) =>
        nodeSuggestion(node, name.quote, code[position] !== name.quote),
      ),
    };
  const chain = chainBefore(code, position);
  if (!chain.member) {
    if (insideText(code, chain.from)) return null;
    return {
      from: chain.from,
      list: [...rootSuggestions(), ...known.nodes.slice(0, 20).map(nodeDataSuggestion)],
    };
  }
  const value = resolve(chain.links, known);
  return value ? { from: chain.from, list: memberSuggestions(value) } : null;
}

/** What a chain stands for. */
interface Resolved {
  role: Role;
  kind: ValueKind;
  sample: unknown;
  /** The name of a JavaScript class, or the variables. */
  name?: string;
}

export function resolve(links: readonly ChainLink[], known: ExpressionScope): Resolved | undefined {
  const [first, ...rest] = links;
  if (!first) return undefined;
  let value: Resolved;
  let following = rest;
  if (first.kind === "literal") value = resolveSample(first.value);
  else if (first.kind !== "name") return undefined;
  else if (first.name === "$" && rest[0]?.kind === "call") {
    const wanted = parseLiteral(rest[0].args);
    value = {
      role: "node",
      kind: "unknown",
      sample: known.nodes.find((node) => node.name === wanted)?.json,
    };
    following = rest.slice(1);
  } else {
    const root = ROOTS.find((one) => one.name === first.name);
    if (!root) return undefined;
    const sample = root.role === "json" || root.role === "input" ? known.json : undefined;
    value = { role: root.role, kind: root.returns ?? "unknown", sample, name: root.name };
    if (root.role === "vars")
      value.sample = Object.fromEntries(known.variables.map((name) => [name, ""]));
    if (root.role === "function" && rest[0]?.kind === "call") {
      value = { role: "value", kind: root.returns ?? "unknown", sample: undefined };
      following = rest.slice(1);
    }
  }
  for (const link of following) {
    const next = resolveLink(value, link);
    if (!next) return undefined;
    value = next;
  }
  return value;
}

function resolveLink(value: Resolved, link: ChainLink): Resolved | undefined {
  // A call of what was named before gives what that name promised.
  if (link.kind === "call") return value;
  if (link.kind === "index") {
    if (value.role === "items") return { role: "item", kind: "unknown", sample: value.sample };
    return resolveSample(Array.isArray(value.sample) ? value.sample[link.index] : undefined);
  }
  if (link.kind !== "name") return undefined;
  const member = namedMembers(value).find((one) => one.name === link.name);
  if (member)
    return {
      role: member.role,
      kind: member.returns ?? "unknown",
      sample: passSample(member) ? value.sample : undefined,
    };
  if (isRecord(value.sample) && link.name in value.sample)
    return resolveSample(value.sample[link.name]);
  const found = findFunction(value.kind, link.name);
  if (found) {
    const first =
      (link.name === "first" || link.name === "last") && Array.isArray(value.sample)
        ? value.sample[0]
        : undefined;
    return first !== undefined
      ? resolveSample(first)
      : { role: "value", kind: found.returns, sample: undefined };
  }
  return undefined;
}

/** A sample goes on through `item`, `first()` and `json`, and ends at anything else. */
function passSample(member: MemberDoc): boolean {
  return member.role === "item" || member.role === "items" || member.role === "json";
}

function resolveSample(sample: unknown): Resolved {
  return { role: "value", kind: valueKind(sample), sample };
}

function namedMembers(value: Resolved): readonly MemberDoc[] {
  if (value.role === "class") return CLASS_MEMBERS[value.name ?? ""] ?? [];
  return MEMBERS[value.role] ?? [];
}

function memberSuggestions(value: Resolved): Suggestion[] {
  const members = namedMembers(value).map((one): Suggestion => {
    const detail = one.args ?? one.returns ?? "";
    return {
      label: one.name,
      insert: callText(one.name, one.args),
      kind: one.args === null ? "field" : "function",
      detail,
      help: one.help,
    };
  });
  const ownFields = value.role === "value" || value.role === "json" || value.role === "vars";
  const fields =
    ownFields && isRecord(value.sample)
      ? Object.entries(value.sample).map(([name, sample]) => fieldSuggestion(name, sample))
      : [];
  const functions = functionsOf(value.kind).map(
    (one): Suggestion => ({
      label: one.name,
      insert: callText(one.name, one.args),
      kind: one.args === null ? "field" : "function",
      detail: one.args === null ? one.returns : `${one.args} → ${one.returns}`,
      help: one.help,
      ...(one.example !== undefined && { example: one.example }),
    }),
  );
  return [...fields, ...members, ...functions];
}

function callText(name: string, args: string | null): string {
  if (args === null) return name;
  return args === "()" ? `${name}()` : `${name}(|)`;
}

function fieldSuggestion(name: string, sample: unknown): Suggestion {
  // The dot stands already, so a name that needs brackets takes its place through the accessor.
  const written = toAccessor([name]);
  const insert = written.startsWith(".") ? written.slice(1) : written;
  return {
    label: name,
    insert,
    kind: "field",
    detail: valueKind(sample),
    help: shortSample(sample),
  };
}

function rootSuggestions(): Suggestion[] {
  return ROOTS.map((root) => ({
    label: root.name,
    insert: root.insert ?? root.name,
    kind: root.role === "function" ? "function" : "root",
    detail: root.detail,
    help: root.help,
  }));
}

function nodeDataSuggestion(node: { name: string }): Suggestion {
  const root = accessorOfNode(node.name);
  return {
    label: root,
    insert: `${root}.item.json`,
    kind: "node",
    detail: "node",
    help: "The item of that node that the current item was created from.",
  };
}

function accessorOfNode(name: string): string {
  return `$('${name.replace(/[\\']/g, (sign) => `\\${sign}`)}')`;
}

function nodeSuggestion(
  node: { name: string; json?: unknown },
  quote: string,
  close: boolean,
): Suggestion {
  const insert =
    node.name.replace(/\\/g, "\\\\").replaceAll(quote, `\\${quote}`) + (close ? `${quote})` : "");
  return {
    label: node.name,
    insert,
    kind: "node",
    detail: node.json === undefined ? "not run yet" : "node",
    help: "",
  };
}

/** The beginning of a name that is being typed into `$('…`. */
function insideNodeName(
  code: string,
  position: number,
): { from: number; quote: string } | undefined {
  const found = /\$\(\s*(["'])([^"']*)$/.exec(code.slice(0, position));
  return found
    ? { from: position - (found[2] as string).length, quote: found[1] as string }
    : undefined;
}

/** Whether a position is inside of a text in quotes. */
function insideText(code: string, position: number): boolean {
  let quote = "";
  for (let at = 0; at < position; at++) {
    const sign = code[at] as string;
    if (sign === "\\") at++;
    else if (quote !== "") quote = sign === quote ? "" : quote;
    else if (sign === '"' || sign === "'" || sign === "`") quote = sign;
  }
  return quote !== "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shortSample(sample: unknown): string {
  const text = typeof sample === "string" ? sample : (JSON.stringify(sample) ?? "");
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
