/** The search of a memory, and the correction of an entry. */
import { describe, expect, it } from "vitest";
import type { StoredMemoryEntry } from "../../api/generated";
import {
  changesOf,
  entryState,
  formOf,
  formProblems,
  hitRate,
  readFilters,
  readTags,
  reverseOf,
  toQuestion,
} from "./memoryEntries";

const NOW = Date.parse("2026-11-19T12:00:30Z");

const ENTRY: StoredMemoryEntry = {
  id: "e1",
  subject: "ada",
  kind: "fact",
  text: "Likes tea",
  tags: ["drinks", "home"],
  source: { workflowId: "", executionId: "", node: "", sessionId: "", turn: "", quote: "" },
  createdAt: "2026-11-01T10:00:00.000Z",
  updatedAt: "2026-11-01T10:00:00.000Z",
  validFrom: "2026-11-01T10:00:00.000Z",
  expiresAt: null,
  supersededBy: null,
  version: 3,
};

describe("the search", () => {
  const question = (search: string) => toQuestion(readFilters(new URLSearchParams(search)), NOW);

  it("is no search while only a subject is given: the list says it too, and nothing is counted", () => {
    expect(question("")).toBeNull();
    expect(question("q=%20&subject=ada&old=1")).toBeNull();
  });

  it("asks for what stands in the address", () => {
    expect(question("q=tea&subject=ada&kind=fact&since=1h&old=1")).toEqual({
      query: "tea",
      subject: "ada",
      kinds: ["fact"],
      from: "2026-11-19T11:00:00.000Z",
      limit: 100,
      includeSuperseded: true,
      includeExpired: true,
    });
  });

  it("leaves out what nobody could have chosen", () => {
    expect(question("kind=secret&since=ever")).toBeNull();
  });
});

describe("an entry", () => {
  it("is not found by agents once it was replaced or has expired", () => {
    expect(entryState(ENTRY, NOW)).toBeNull();
    expect(entryState({ ...ENTRY, supersededBy: "e2" }, NOW)?.label).toBe("Replaced");
    expect(entryState({ ...ENTRY, expiresAt: "2026-11-19T12:00:00Z" }, NOW)?.label).toBe("Expired");
    expect(entryState({ ...ENTRY, expiresAt: "2026-11-20T12:00:00Z" }, NOW)).toBeNull();
  });

  it("is sent with what was changed only, and that can be taken back", () => {
    const form = formOf(ENTRY);
    expect(changesOf(ENTRY, form)).toEqual({});
    const change = changesOf(ENTRY, { ...form, text: "Likes coffee", tags: "home, ,home" });
    expect(change).toEqual({ text: "Likes coffee", tags: ["home"] });
    expect(reverseOf(ENTRY, change)).toEqual({ text: "Likes tea", tags: ["drinks", "home"] });
    const expiry = changesOf(ENTRY, { ...form, expiresAt: "2026-12-01T00:00" });
    expect(expiry).toEqual({ expiresAt: new Date("2026-12-01T00:00").toISOString() });
    expect(reverseOf(ENTRY, expiry)).toEqual({});
  });

  it("says what the server would refuse", () => {
    const form = formOf(ENTRY);
    expect(formProblems(ENTRY, form)).toEqual({});
    expect(formProblems(ENTRY, { ...form, text: " " }).text).toBeDefined();
    expect(formProblems(ENTRY, { ...form, text: "ä".repeat(8193) }).text).toBeDefined();
    expect(formProblems(ENTRY, { ...form, tags: "x".repeat(65) }).tags).toBeDefined();
    const tags = Array.from({ length: 17 }, (_, at) => `t${at}`).join(",");
    expect(formProblems(ENTRY, { ...form, tags }).tags).toBeDefined();
    const expiring = { ...ENTRY, expiresAt: "2026-12-01T00:00:00.000Z" };
    expect(formProblems(expiring, { ...form, expiresAt: "" }).expiresAt).toBeDefined();
  });
});

it("tags are named once, and the share of useful reads is not made up", () => {
  expect(readTags(" a, b ,a,, ")).toEqual(["a", "b"]);
  expect(hitRate({ reads: 0, hits: 0 })).toBe("–");
  expect(hitRate({ reads: 3, hits: 2 })).toBe("67%");
});
