/**
 * Follows a renamed node inside expressions and code: `$('Old')`, `$node["Old"]`, `$node.Old`, `$items("Old")`.
 *
 * The server does the same when a workflow is changed through operations; both must agree on what a reference is.
 */

/** New names by old ones; a name that is not in it stays. */
export type NewNames = ReadonlyMap<string, string>;

type NameLookup = Pick<NewNames, "get">;

/** A parameter's value with every reference to a renamed node turned to its new name; the same value if there is none. */
export function renameInValue<T>(value: T, names: NameLookup): T {
  if (typeof value === "string") return renameInText(value, names) as T;
  if (Array.isArray(value)) {
    const renamed = value.map((entry) => renameInValue(entry, names));
    return (renamed.some((entry, index) => entry !== value[index]) ? renamed : value) as T;
  }
  if (value !== null && typeof value === "object") {
    let changed = false;
    const renamed: Record<string, unknown> = {};
    for (const [key, entry] of Object.entries(value)) {
      renamed[key] = renameInValue(entry, names);
      changed ||= renamed[key] !== entry;
    }
    return changed ? (renamed as T) : value;
  }
  return value;
}

/** A text of a parameter: code as a whole, or an expression whose `{{ … }}` are code. */
function renameInText(text: string, names: NameLookup): string {
  if (!text.includes("$")) return text;
  if (!text.startsWith("=")) return renameInCode(text, names);
  let out = "";
  let rest = text;
  let inCode = false;
  while (rest.length > 0) {
    const end = nextBracket(rest, inCode ? "}}" : "{{");
    const piece = rest.slice(0, end);
    out += inCode ? renameInCode(piece, names) : piece;
    out += rest.slice(end, end + 2);
    rest = rest.slice(end + 2);
    inCode = !inCode;
  }
  return out;
}

/** Where the next bracket pair stands that no backslash protects; the end of the text if there is none. */
function nextBracket(text: string, bracket: string): number {
  let from = 0;
  for (;;) {
    const at = text.indexOf(bracket, from);
    if (at < 0) return text.length;
    let backslashes = 0;
    while (at - backslashes - 1 >= from && text[at - backslashes - 1] === "\\") backslashes++;
    if (backslashes % 2 === 0) return at;
    from = at + bracket.length;
  }
}

const QUOTED =
  /(?<![\p{L}\p{N}_$])(\$node\s*\[\s*|\$items\s*\(\s*|\$\s*\(\s*)(?:"((?:[^"\\\n\r]|\\.)*)"|'((?:[^'\\\n\r]|\\.)*)'|`((?:[^`\\]|\\[\s\S])*)`)/gu;
const DOTTED = /(?<![\p{L}\p{N}_$])\$node\.([\p{L}\p{N}_$]+)/gu;

/** JavaScript with the references to every node that has a new name. */
export function renameInCode(code: string, names: NameLookup): string {
  if (!code.includes("$")) return code;
  const quoted = code.replace(
    QUOTED,
    (whole, start: string, double?: string, single?: string, tick?: string) => {
      const written = double ?? single ?? tick ?? "";
      const renamed = names.get(unescapeName(written));
      if (renamed === undefined) return whole;
      const quote = double !== undefined ? '"' : single !== undefined ? "'" : "`";
      return `${start}${quote}${escapeName(renamed, quote)}${quote}`;
    },
  );
  return quoted.replace(DOTTED, (whole, name: string) => {
    const renamed = names.get(name);
    if (renamed === undefined) return whole;
    return isPlainName(renamed) ? `$node.${renamed}` : `$node["${escapeName(renamed, '"')}"]`;
  });
}

function unescapeName(text: string): string {
  return text.replace(/\\(x[0-9a-fA-F]{2}|[\s\S])/g, (_, code: string) => {
    if (code.length === 3) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return { n: "\n", r: "\r", t: "\t" }[code] ?? code;
  });
}

/** The name as it stands between quotes. */
export function escapeName(name: string, quote: string): string {
  const plain = name
    .replace(/[\\"']/g, (found) => `\\${found}`)
    .replace(/\n/g, "\\n")
    .replace(/\r/g, "\\r")
    // The end of an expression is looked for without regard to quotes.
    .replaceAll("}}", "}\\x7d");
  // A template literal would read `${` as code.
  return quote === "`" ? plain.replaceAll("`", "\\`").replaceAll("${", "\\${") : plain;
}

/** Whether a reference to this name may be written `$node.name`. */
function isPlainName(name: string): boolean {
  return /^\p{L}[\p{L}\p{N}]*$/u.test(name);
}

/** The names of all nodes that a parameter's value refers to, whether they exist or not. */
export function referencedNodes(value: unknown): Set<string> {
  const found = new Set<string>();
  const recorder: NameLookup = {
    get: (name) => {
      found.add(name);
      return undefined;
    },
  };
  renameInValue(value, recorder);
  return found;
}
