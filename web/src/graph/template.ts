/** Texts with `{{ … }}` in them: where the code is, how a field of the data is named in it, and how a value turns into one and back. */

import { isExpression, type Json, type ParamKind } from "./json";
import { escapeName } from "./renameReferences";

export interface Segment {
  kind: "text" | "code";
  /** Where the piece stands in the text, brackets included. */
  from: number;
  to: number;
  /** The code without its brackets, or the text itself. */
  text: string;
  /** Whether the code has its closing brackets. */
  closed: boolean;
}

/** Splits a text (without the leading `=`) into plain text and code. The end of code is looked for without regard to quotes, as the server does. */
export function segments(text: string): Segment[] {
  const found: Segment[] = [];
  let at = 0;
  while (at < text.length) {
    const start = text.indexOf("{{", at);
    if (start < 0) {
      found.push({ kind: "text", from: at, to: text.length, text: text.slice(at), closed: true });
      break;
    }
    if (start > at)
      found.push({ kind: "text", from: at, to: start, text: text.slice(at, start), closed: true });
    const end = text.indexOf("}}", start + 2);
    const to = end < 0 ? text.length : end + 2;
    found.push({
      kind: "code",
      from: start,
      to,
      text: text.slice(start + 2, end < 0 ? text.length : end),
      closed: end >= 0,
    });
    at = to;
  }
  return found;
}

/** The code that surrounds a position, if there is one. */
export function codeAt(text: string, position: number): Segment | undefined {
  return segments(text).find(
    (piece) =>
      piece.kind === "code" &&
      position >= piece.from + 2 &&
      (piece.closed ? position <= piece.to - 2 : position <= piece.to),
  );
}

const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;

/** `.a["b c"][0]`: how a field deep inside is written in code. */
export function toAccessor(path: readonly (string | number)[]): string {
  return path
    .map((key) => {
      if (typeof key === "number") return `[${key}]`;
      return PLAIN_NAME.test(key) ? `.${key}` : `["${escapeName(key, '"')}"]`;
    })
    .join("");
}

/** A field of the data as it is dragged: whose it is and where it stands. */
export interface FieldReference {
  node: string;
  path: readonly (string | number)[];
}

/** The code for a field: short when it is the node's own input, by the node's name when it comes from further up. */
export function fieldCode(field: FieldReference, directInput: string | null): string {
  const root =
    field.node === directInput ? "$json" : `$('${escapeName(field.node, "'")}').item.json`;
  return root + toAccessor(field.path);
}

/** A parameter's value after a field was dropped on it. Text goes on around it, any other kind of value is replaced. */
export function dropIntoValue(
  value: Json | undefined,
  code: string,
  kind: ParamKind["type"],
  position?: number,
): string {
  const inserted = `{{ ${code} }}`;
  if (isExpression(value)) return `=${insertAt(value.slice(1), inserted, code, position)}`;
  const isText = kind === "text" || kind === "longText" || kind === "json";
  if (!isText || typeof value !== "string" || value === "") return `=${inserted}`;
  return `=${insertAt(value, inserted, code, position)}`;
}

function insertAt(text: string, inserted: string, code: string, position = text.length): string {
  const inside = codeAt(text, position);
  const piece = inside ? code : inserted;
  const gap = !inside && position === text.length && text !== "" && !/\s$/.test(text) ? " " : "";
  return text.slice(0, position) + gap + piece + text.slice(position);
}

/** Kinds whose fixed value is a text in which code may be written. */
const TEXT_KINDS: readonly ParamKind["type"][] = ["text", "longText", "json"];
/** Kinds that take no text, so that code can only be pasted into them. */
const PASTE_KINDS: readonly ParamKind["type"][] = ["number", "dateTime", "choice", "flag"];

/**
 * The expression that a fixed text has become when `{{ … }}` was typed or pasted into it, with the place to write on; nothing while
 * it is plain text. Brackets that were just opened are closed.
 */
export function typedExpression(
  text: string,
  before: string,
  kind: ParamKind["type"],
): { expression: string; cursor?: number } | undefined {
  if (!TEXT_KINDS.includes(kind) || text.startsWith("=")) return undefined;
  const code = segments(text).filter((piece) => piece.kind === "code");
  if (code.some((piece) => piece.closed)) return { expression: `=${withDollarSigns(text)}` };
  const [open] = code;
  // JSON is full of braces on their way to being right.
  if (!open || kind === "json" || before.includes("{{") || open.text.trim() !== "")
    return undefined;
  const start = text.slice(0, open.from + 2);
  return { expression: `=${start}  }}${text.slice(open.to)}`, cursor: start.length + 1 };
}

/** Some fields take `{{ json.name }}` for `{{ $json.name }}`; expressions need the dollar sign. */
function withDollarSigns(text: string): string {
  return text.replace(
    /(\{\{\s*)(?=(?:json|binary|input|node|vars|workflow|execution|now|today)\b)/g,
    "$1$$",
  );
}

/** The expression that was pasted into a field which takes no text. */
export function pastedExpression(text: string, kind: ParamKind["type"]): string | undefined {
  const isCode = segments(text).some((piece) => piece.kind === "code" && piece.closed);
  return PASTE_KINDS.includes(kind) && isCode ? `=${text.trim().replace(/^=/, "")}` : undefined;
}

/** A fixed value as an expression that gives the same. */
export function toExpression(value: Json | undefined): string {
  if (isExpression(value)) return value;
  if (value === undefined || value === null || value === "") return "=";
  if (typeof value === "string") return `=${value}`;
  return `={{ ${JSON.stringify(value)} }}`;
}

/** What a parameter holds when its expression is given up: the text or value it spelled, else what it gave last, else its default. */
export function toFixedValue(
  expression: string,
  kind: ParamKind["type"],
  lastResult: Json | undefined,
  preset: Json | undefined,
): Json | undefined {
  const text = expression.slice(1);
  const pieces = segments(text);
  const only = pieces.length === 1 ? pieces[0] : undefined;
  if (pieces.length === 0)
    return kind === "text" || kind === "longText" || kind === "code" || kind === "json"
      ? ""
      : preset;
  if (only?.kind === "code") {
    const literal = parseJson(only.text.trim());
    return coerceValue(literal !== undefined ? literal : lastResult, kind, preset);
  }
  if (only?.kind === "text") return coerceValue(text, kind, preset);
  return coerceValue(lastResult ?? text, kind, preset);
}

function parseJson(code: string): Json | undefined {
  try {
    return JSON.parse(code) as Json;
  } catch {
    return undefined;
  }
}

function coerceValue(
  value: Json | undefined,
  kind: ParamKind["type"],
  preset: Json | undefined,
): Json | undefined {
  if (value === undefined || value === null) return preset;
  switch (kind) {
    case "number":
      return value !== "" && Number.isFinite(Number(value)) ? Number(value) : preset;
    case "flag":
      return typeof value === "boolean" ? value : preset;
    case "text":
    case "longText":
    case "json":
    case "code":
    case "secret":
    case "dateTime":
      return typeof value === "string" ? value : JSON.stringify(value);
    default:
      return value;
  }
}
