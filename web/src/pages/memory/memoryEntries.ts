// The search of a memory as the address of the page has it, entries in words, and what a correction changes. Pure.

import type {
  Memory,
  MemoryEntryChange,
  MemoryEntryKind,
  MemoryQuestion,
  StoredMemoryEntry,
} from "../../api/generated";
import { SPANS } from "../../run/executionFilters";
import type { Tone } from "../../ui";

export interface MemoryFilters {
  words: string;
  subject: string;
  kind?: MemoryEntryKind;
  /** One of `SPANS`. */
  since?: string;
  /** Entries that were replaced or have expired are shown too. */
  withOld: boolean;
}

export const KINDS: readonly { value: MemoryEntryKind; label: string }[] = [
  { value: "fact", label: "Facts" },
  { value: "note", label: "Notes" },
  { value: "document", label: "Documents" },
];

export const KIND_LABELS: Record<MemoryEntryKind, string> = {
  fact: "Fact",
  note: "Note",
  document: "Document",
};

/** Values nobody could have chosen are left out. */
export function readFilters(params: URLSearchParams): MemoryFilters {
  const since = params.get("since") ?? "";
  return {
    words: params.get("q") ?? "",
    subject: params.get("subject") ?? "",
    kind: KINDS.find((one) => one.value === params.get("kind"))?.value,
    since: SPANS.some((one) => one.value === since) ? since : undefined,
    withOld: params.get("old") === "1",
  };
}

/** The most results of one search. */
export const MAX_RESULTS = 100;

/** What is asked of the server; nothing where the list of all entries says it too. */
export function toQuestion(filters: MemoryFilters, now: number): MemoryQuestion | null {
  const { kind, withOld } = filters;
  const words = filters.words.trim();
  const subject = filters.subject.trim();
  const span = SPANS.find((one) => one.value === filters.since);
  if (words === "" && !kind && !span) return null;
  // Rounded to a minute, so that the question stays the same while the page is open.
  const from = span && new Date(Math.floor((now - span.ms) / 60_000) * 60_000).toISOString();
  return {
    ...(words && { query: words }),
    ...(subject && { subject }),
    ...(kind && { kinds: [kind] }),
    ...(from && { from }),
    limit: MAX_RESULTS,
    includeSuperseded: withOld,
    includeExpired: withOld,
  };
}

export interface EntryState {
  label: string;
  tone: Tone;
}

/** Whether agents find an entry; nothing is said of one that they do. */
export function entryState(
  entry: Pick<StoredMemoryEntry, "supersededBy" | "expiresAt">,
  now: number,
): EntryState | null {
  if (entry.supersededBy !== null) return { label: "Replaced", tone: "neutral" };
  if (entry.expiresAt !== null && Date.parse(entry.expiresAt) <= now)
    return { label: "Expired", tone: "neutral" };
  return null;
}

/** The share of reads that found something. */
export function hitRate({ hits, reads }: Pick<Memory, "hits" | "reads">): string {
  return reads === 0 ? "–" : `${Math.round((hits / reads) * 100)}%`;
}

/** An entry as a form has it: times as the browser's own field does. */
export interface EntryForm {
  text: string;
  kind: MemoryEntryKind;
  tags: string;
  validFrom: string;
  expiresAt: string;
}

export function formOf(entry: StoredMemoryEntry): EntryForm {
  return {
    text: entry.text,
    kind: entry.kind,
    tags: entry.tags.join(", "),
    validFrom: toLocalTime(entry.validFrom),
    expiresAt: toLocalTime(entry.expiresAt),
  };
}

/** What the form says otherwise than the entry; nothing else is sent. */
export function changesOf(
  entry: StoredMemoryEntry,
  form: EntryForm,
): Omit<MemoryEntryChange, "version"> {
  const before = formOf(entry);
  const tags = readTags(form.tags);
  return {
    ...(form.text !== before.text && { text: form.text }),
    ...(form.kind !== before.kind && { kind: form.kind }),
    ...(tags.join("\n") !== entry.tags.join("\n") && { tags }),
    ...(form.validFrom !== before.validFrom &&
      form.validFrom !== "" && { validFrom: new Date(form.validFrom).toISOString() }),
    ...(form.expiresAt !== before.expiresAt &&
      form.expiresAt !== "" && { expiresAt: new Date(form.expiresAt).toISOString() }),
  };
}

/** The same fields as they were, to take a correction back. An expiry that was not there cannot be taken back. */
export function reverseOf(
  entry: StoredMemoryEntry,
  change: Omit<MemoryEntryChange, "version">,
): Omit<MemoryEntryChange, "version"> {
  return {
    ...(change.text !== undefined && { text: entry.text }),
    ...(change.kind !== undefined && { kind: entry.kind }),
    ...(change.tags !== undefined && { tags: entry.tags }),
    ...(change.validFrom !== undefined && { validFrom: entry.validFrom }),
    ...(change.expiresAt !== undefined &&
      entry.expiresAt !== null && { expiresAt: entry.expiresAt }),
  };
}

export function readTags(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  return [...new Set(tags.filter(Boolean))];
}

const MAX_TEXT_BYTES = 16_384;
const MAX_TAGS = 16;
const MAX_TAG_BYTES = 64;
const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** Why a form cannot be sent, by field. */
export function formProblems(
  entry: StoredMemoryEntry,
  form: EntryForm,
): Partial<Record<keyof EntryForm, string>> {
  const tags = readTags(form.tags);
  return {
    ...(form.text.trim() === "" && { text: "Enter a text. To remove the entry, delete it." }),
    ...(bytesOf(form.text) > MAX_TEXT_BYTES && { text: "Use at most 16 KB." }),
    ...(tags.length > MAX_TAGS && { tags: `Use at most ${MAX_TAGS} tags.` }),
    ...(tags.some((tag) => bytesOf(tag) > MAX_TAG_BYTES) && {
      tags: `A tag has at most ${MAX_TAG_BYTES} bytes.`,
    }),
    ...(form.validFrom === "" && { validFrom: "Enter the time from which it holds." }),
    ...(form.expiresAt === "" &&
      entry.expiresAt !== null && { expiresAt: "An expiry can be moved, not removed." }),
  };
}

/** `2026-11-19T23:46`, as a field of the browser has it, in its time zone. */
function toLocalTime(iso: string | null): string {
  if (iso === null) return "";
  const date = new Date(iso);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
