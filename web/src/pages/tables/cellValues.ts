/** How the values of a data table are shown and read back from what is typed. */
import type { ColumnKind } from "./csv";
import type { Cell } from "./tableApi";

/** What a column can hold, in words. */
export const COLUMN_KINDS: { value: ColumnKind; label: string }[] = [
  { value: "string", label: "Text" },
  { value: "number", label: "Number" },
  { value: "boolean", label: "Boolean" },
  { value: "date", label: "Date" },
];

/** The kind of a column as it stands beside its name. */
export function columnKindLabel(kind: ColumnKind): string {
  return (COLUMN_KINDS.find((one) => one.value === kind)?.label ?? kind).toLowerCase();
}

/** What sorting upwards and downwards is called for a kind of values. */
export function sortLabels(kind: ColumnKind): [up: string, down: string] {
  switch (kind) {
    case "string":
      return ["A to Z", "Z to A"];
    case "number":
      return ["Smallest first", "Largest first"];
    case "boolean":
      return ["False first", "True first"];
    case "date":
      return ["Earliest first", "Latest first"];
  }
}

export function formatCell(value: Cell | undefined, kind: ColumnKind): string {
  if (value === null || value === undefined) return "";
  if (kind === "date" && typeof value === "string") {
    const date = new Date(value);
    if (Number.isNaN(date.getTime())) return value;
    // A day without a time is kept as its midnight; only the day was meant.
    const [day = "", time = ""] = date.toISOString().split("T");
    return time === "00:00:00.000Z" ? day : `${day} ${time.replace(/(:00)?\.\d+Z$/, "")}`;
  }
  return String(value);
}

/** What was typed as a value of the column, or why it is none. */
export function parseCell(text: string, kind: ColumnKind): { value: Cell } | { problem: string } {
  const trimmed = text.trim();
  if (kind === "string") return { value: text === "" ? null : text };
  if (trimmed === "") return { value: null };
  if (kind === "number") {
    const value = Number(trimmed);
    return Number.isFinite(value) ? { value } : { problem: `“${trimmed}” is not a number.` };
  }
  if (kind === "boolean") {
    if (/^(true|yes|1)$/i.test(trimmed)) return { value: true };
    if (/^(false|no|0)$/i.test(trimmed)) return { value: false };
    return { problem: "Enter true or false." };
  }
  // Without a zone it is meant as it is shown: in UTC.
  const date = new Date(
    /[zZ]$|[+-]\d{2}:?\d{2}$/.test(trimmed)
      ? trimmed
      : `${trimmed.replace(" ", "T")}${trimmed.length > 10 ? "Z" : ""}`,
  );
  if (Number.isNaN(date.getTime()))
    return { problem: "Enter a date such as 2026-01-31 or 2026-01-31 14:30." };
  const [, year, month, day] = trimmed.match(/^(\d{4})-(\d{2})-(\d{2})/) ?? [];
  // A day that is not in the calendar, such as the 30th of February, would silently become another one.
  const lastDay = year ? new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate() : 31;
  return day && Number(day) > lastDay
    ? { problem: `${year}-${month}-${day} is not a valid date.` }
    : { value: date.toISOString() };
}

/** The value of a text from a file; nothing where it does not fit the column. */
export function coerceCell(text: string, kind: ColumnKind): Cell {
  const read = parseCell(text, kind);
  return "problem" in read ? null : read.value;
}

/** Which texts of a column are no values of its kind: how many, and the first with its place. */
export function findMisfits(
  texts: readonly string[],
  kind: ColumnKind,
): { count: number; first: string; row: number } | null {
  const wrong = texts.flatMap((text, at) =>
    "problem" in parseCell(text, kind) ? [{ text: text.trim(), row: at + 1 }] : [],
  );
  const [first] = wrong;
  return first ? { count: wrong.length, first: first.text, row: first.row } : null;
}
