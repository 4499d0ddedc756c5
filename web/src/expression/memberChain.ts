/** Reads the chain of members that stands before the cursor, such as `$json.user["first name"].trim().`. */

export type ChainLink =
  | { kind: "name"; name: string }
  | { kind: "index"; index: number }
  | { kind: "call"; args: string }
  /** A literal the chain begins with. */
  | { kind: "literal"; value: unknown };

export interface Chain {
  links: ChainLink[];
  /** What is being typed behind the last dot, or the whole word if there is none. */
  prefix: string;
  /** Where the prefix begins. */
  from: number;
  /** Whether the prefix is a member of what stands before it. */
  member: boolean;
}

const WORD = /[\w$]/;

/** The chain that ends at a position of some code. */
export function chainBefore(code: string, position: number): Chain {
  let at = position;
  while (at > 0 && WORD.test(code[at - 1] as string)) at--;
  const prefix = code.slice(at, position);
  const dot = dotBefore(code, at);
  if (dot < 0) return { links: [], prefix, from: at, member: false };
  return { links: linksBefore(code, dot), prefix, from: at, member: true };
}

/** The position of a `.` or `?.` right before, or -1. */
function dotBefore(code: string, at: number): number {
  if (code[at - 1] !== ".") return -1;
  return code[at - 2] === "?" ? at - 2 : at - 1;
}

/** The links that end at a position, from the first to the last; empty if they cannot be read. */
function linksBefore(code: string, end: number): ChainLink[] {
  const links: ChainLink[] = [];
  let at = end;
  for (;;) {
    while (at > 0 && /\s/.test(code[at - 1] as string)) at--;
    const last = code[at - 1];
    if (last === undefined) return [];
    if (last === ")" || last === "]") {
      const open = findOpening(code, at - 1);
      if (open < 0) return [];
      const inner = code.slice(open + 1, at - 1);
      const standsAlone = open === 0 || !/[\w$)\]?.]/.test(code[open - 1] as string);
      if (last === "]" && standsAlone) return [{ kind: "literal", value: [] }, ...links.reverse()];
      if (last === ")" && standsAlone) return [];
      if (last === ")") links.push({ kind: "call", args: inner.trim() });
      else {
        const key = parseLiteral(inner.trim());
        if (typeof key === "number") links.push({ kind: "index", index: key });
        else if (typeof key === "string") links.push({ kind: "name", name: key });
        else return [];
      }
      at = open;
      if (code[at - 1] === "." && code[at - 2] === "?") at -= 2;
      continue;
    }
    if (last === '"' || last === "'" || last === "`") {
      const open = code.lastIndexOf(last, at - 2);
      if (open < 0) return [];
      return [{ kind: "literal", value: code.slice(open + 1, at - 1) }, ...links.reverse()];
    }
    if (!WORD.test(last)) return [];
    let start = at;
    while (start > 0 && WORD.test(code[start - 1] as string)) start--;
    links.push({ kind: "name", name: code.slice(start, at) });
    const dot = dotBefore(code, start);
    if (dot < 0) return links.reverse();
    at = dot;
  }
}

/** The bracket that a closing one belongs to; texts in quotes are passed over. */
function findOpening(code: string, closing: number): number {
  let depth = 0;
  for (let at = closing; at >= 0; at--) {
    const sign = code[at] as string;
    if (sign === '"' || sign === "'" || sign === "`") {
      at = code.lastIndexOf(sign, at - 1);
      if (at < 0) return -1;
      continue;
    }
    if (sign === ")" || sign === "]" || sign === "}") depth++;
    else if (sign === "(" || sign === "[" || sign === "{") {
      depth--;
      if (depth === 0) return at;
    }
  }
  return -1;
}

/** The text or number that a piece of code spells. */
export function parseLiteral(code: string): string | number | undefined {
  if (/^\d+$/.test(code)) return Number(code);
  const quoted = /^(["'`])([\s\S]*)\1$/.exec(code);
  return quoted ? (quoted[2] as string).replace(/\\(.)/g, "$1") : undefined;
}
