/** CSV files: read into rows, and the types of their columns guessed. */

export type ColumnKind = "string" | "number" | "boolean" | "date";

export interface CsvFile {
  names: string[];
  rows: string[][];
}

/** Rows that a file may have at most here; more belong into a workflow that reads it in batches. */
export const MAX_ROWS = 50_000;

/** Reads CSV as spreadsheets write it: quotes, line breaks within them, and commas, semicolons or tabs between. */
export function parseCsv(text: string): CsvFile | { problem: string } {
  const plain = text.replace(/^\uFEFF/, "");
  const separator = detectSeparator(plain);
  const table: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  for (let at = 0; at < plain.length; at += 1) {
    const letter = plain.charAt(at);
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (plain.charAt(at + 1) === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (letter === '"' && cell === "") quoted = true;
    else if (letter === separator) {
      row.push(cell);
      cell = "";
    } else if (letter === "\n" || letter === "\r") {
      if (letter === "\r" && plain.charAt(at + 1) === "\n") at += 1;
      row.push(cell);
      table.push(row);
      row = [];
      cell = "";
    } else cell += letter;
  }
  if (quoted) return { problem: "Unclosed quote. The file may be truncated." };
  if (cell !== "" || row.length > 0) table.push([...row, cell]);
  const lines = table.filter((line) => line.some((value) => value.trim() !== ""));
  const [names, ...rows] = lines;
  if (!names || names.every((name) => name.trim() === ""))
    return { problem: "The file is empty. The first line must contain the column names." };
  if (rows.length > MAX_ROWS)
    return {
      problem: `The file has ${rows.length.toLocaleString("en")} rows. You can import at most ${MAX_ROWS.toLocaleString("en")} here.`,
    };
  return {
    names: names.map((name) => name.trim()),
    rows: rows.map((line) => names.map((_, index) => line[index] ?? "")),
  };
}

/** The separator that the first line has most of. */
function detectSeparator(text: string): string {
  const line = text.slice(0, 10_000).split(/\r?\n/, 1)[0] ?? "";
  const outside = line.replace(/"[^"]*"/g, "");
  const counts = [",", ";", "\t"].map(
    (separator) => [separator, outside.split(separator).length] as const,
  );
  return counts.reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const DATE = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** What a column holds, if all its values agree; text otherwise. Numbers with leading zeros are codes, not numbers. */
export function guessColumnKind(values: readonly string[]): ColumnKind {
  const given = values.map((value) => value.trim()).filter((value) => value !== "");
  if (given.length === 0) return "string";
  if (given.every((value) => /^(true|false)$/i.test(value))) return "boolean";
  if (given.every((value) => NUMBER.test(value) && !/^[+-]?0\d/.test(value))) return "number";
  if (given.every((value) => DATE.test(value) && !Number.isNaN(Date.parse(value)))) return "date";
  return "string";
}

/** A name that a column may have: letters, digits and _, beginning with a letter, and used once. */
export function uniqueColumnName(name: string, taken: readonly string[]): string {
  const plain = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^A-Za-z0-9_]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 60);
  const started = plain === "" ? "column" : /^[A-Za-z]/.test(plain) ? plain : `c_${plain}`;
  const used = new Set([...taken.map((one) => one.toLowerCase()), "id", "createdat", "updatedat"]);
  if (!used.has(started.toLowerCase())) return started;
  for (let count = 2; ; count += 1)
    if (!used.has(`${started}_${count}`.toLowerCase())) return `${started}_${count}`;
}
