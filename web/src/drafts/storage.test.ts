import { describe, expect, it } from "vitest";
import { emptyDocument, type WorkflowDocument, type WorkflowNode } from "../graph/types";
import {
  DRAFT_MAX_AGE_MS,
  DRAFT_MAX_CHARS,
  DRAFTS_MAX,
  DRAFTS_MAX_CHARS,
  draftsOf,
  dropDraftsOf,
  isSaved,
  keepDraft,
  keyOf,
  restored,
} from "./storage";
import { MemoryStore } from "./testing";

const NOW = 1_800_000_000_000;
const ID = { user: "ada", workflow: "w1", session: "s1" };

function node(name: string, fields: Partial<WorkflowNode> = {}): WorkflowNode {
  return { id: name, name, type: "n8n-nodes-base.set", typeVersion: 1, position: [0, 0], parameters: {}, ...fields };
}

function document(...nodes: WorkflowNode[]): WorkflowDocument {
  return { ...emptyDocument("Orders"), id: "w1", versionId: "v1", nodes };
}

const draft = (content: WorkflowDocument, at = NOW, base: string | null = "v1") => ({
  at,
  base,
  document: content,
  lacksSecrets: false,
});

describe("issue_14_00_unsaved_changes_are_kept_in_the_browser", () => {
  it("and come back as they were, newest first, for the same user and workflow only", () => {
    const store = new MemoryStore();
    keepDraft(store, ID, draft(document(node("A"))));
    keepDraft(store, { ...ID, session: "s2" }, draft(document(node("B")), NOW + 1));
    keepDraft(store, { ...ID, user: "bob" }, draft(document(node("C"))));
    keepDraft(store, { ...ID, workflow: "new" }, draft(document(node("D")), NOW, null));
    const found = draftsOf(store, "ada", "w1", NOW);
    expect(found.map((one) => one.draft.document.nodes[0]?.name)).toEqual(["B", "A"]);
    expect(found[1]).toMatchObject({ id: ID, draft: { at: NOW, base: "v1", lacksPins: false } });
    expect(restored(document(), found[0]?.draft as never)).toMatchObject({ id: "w1", versionId: "v1", nodes: [{ name: "B" }] });
  });

  it("with nothing of a credential but its id and name", () => {
    const store = new MemoryStore();
    const secret = { id: "7", name: "Mail", data: { password: "hunter2" } } as never;
    const odd = "hunter2" as never;
    keepDraft(store, ID, draft(document(node("A", { credentials: { smtp: secret, odd } }), node("B", { credentials: odd }))));
    expect([...store.kept.values()].join()).not.toContain("hunter2");
    expect(draftsOf(store, "ada", "w1", NOW)[0]?.draft.document.nodes[0]?.credentials).toEqual({
      smtp: { id: "7", name: "Mail" },
    });
  });

  it("but nothing that is the server's, such as fields it added to the document", () => {
    const store = new MemoryStore();
    keepDraft(store, ID, draft({ ...document(), shared: [{ email: "owner@example.com" }], staticData: { token: "owner@" } }));
    expect([...store.kept.values()].join()).not.toContain("owner@");
    const [found] = draftsOf(store, "ada", "w1", NOW);
    expect(restored({ ...document(), staticData: { since: 1 } }, found?.draft as never).staticData).toEqual({ since: 1 });
  });

  it("without pinned data where that is too much, and not at all where the rest is", () => {
    const store = new MemoryStore();
    const pinned = { ...document(node("A")), pinData: { A: [{ json: { text: "x".repeat(DRAFT_MAX_CHARS) } }] } };
    expect(keepDraft(store, ID, draft(pinned))).toBe("without pins");
    const [found] = draftsOf(store, "ada", "w1", NOW);
    const now = { ...document(), pinData: { A: [{ json: { kept: true } }] } };
    expect(restored(now, found?.draft as never)).toMatchObject({ nodes: [{ name: "A" }], pinData: now.pinData });
    const huge = document(node("A", { parameters: { text: "x".repeat(DRAFT_MAX_CHARS) } }));
    expect(keepDraft(store, { ...ID, session: "s2" }, draft(huge))).toBe("not");
    expect(store.length).toBe(1);
  });

  it("the oldest making room for the newest", () => {
    const store = new MemoryStore();
    for (let n = 0; n < DRAFTS_MAX + 5; n++) keepDraft(store, { ...ID, session: `s${n}` }, draft(document(), NOW + n));
    expect(store.length).toBe(DRAFTS_MAX);
    expect(store.getItem(keyOf({ ...ID, session: "s4" }))).toBeNull();
    const large = document(node("A", { parameters: { text: "x".repeat(DRAFTS_MAX_CHARS / 3) } }));
    for (let n = 0; n < 4; n++) keepDraft(store, { ...ID, session: `l${n}` }, draft(large, NOW + 100 + n));
    const chars = [...store.kept.values()].reduce((sum, text) => sum + text.length, 0);
    expect(chars).toBeLessThanOrEqual(DRAFTS_MAX_CHARS);
    expect(store.getItem(keyOf({ ...ID, session: "l3" }))).not.toBeNull();
  });

  it("also where the browser has less room than it should, and without failing where it has none", () => {
    const small = new MemoryStore(900);
    keepDraft(small, { ...ID, session: "old" }, draft(document(node("A", { notes: "x".repeat(300) })), NOW));
    expect(keepDraft(small, ID, draft(document(node("B", { notes: "x".repeat(300) })), NOW + 1))).toBe("whole");
    expect(draftsOf(small, "ada", "w1", NOW).map((one) => one.id.session)).toEqual(["s1"]);
    expect(keepDraft(new MemoryStore(0), ID, draft(document()))).toBe("not");
  });

  it("until they are too old, or cannot be read", () => {
    const store = new MemoryStore();
    keepDraft(store, ID, draft(document()));
    expect(draftsOf(store, "ada", "w1", NOW + DRAFT_MAX_AGE_MS + 1)).toEqual([]);
    for (const text of ["", "{", "null", '{"form":2}', '{"form":1,"at":1,"document":{"name":3}}']) {
      store.setItem(keyOf(ID), text);
      expect(draftsOf(store, "ada", "w1", NOW)).toEqual([]);
      expect(store.length).toBe(0);
    }
    store.setItem("heddle.draft/%E0%A4%A/w1/s1", "{}");
    store.setItem("something/else", "{}");
    expect(draftsOf(store, "ada", "w1", NOW)).toEqual([]);
    expect(store.getItem("something/else")).toBe("{}");
  });

  it("and go when their user signs out", () => {
    const store = new MemoryStore();
    keepDraft(store, ID, draft(document()));
    keepDraft(store, { ...ID, user: "ada/w1" }, draft(document()));
    keepDraft(store, { ...ID, user: "bob" }, draft(document()));
    dropDraftsOf("ada", store);
    expect(draftsOf(store, "ada", "w1", NOW)).toEqual([]);
    expect(store.length).toBe(2);
  });
});

it("a draft that says what was saved meanwhile is not worth an offer", () => {
  const store = new MemoryStore();
  const content = document(node("A", { credentials: { smtp: { id: "7", name: "Mail" } }, notes: undefined }));
  keepDraft(store, ID, draft(content));
  const [found] = draftsOf(store, "ada", "w1", NOW);
  expect(isSaved(found?.draft as never, { ...content, versionId: "v2", pinData: null })).toBe(true);
  expect(isSaved(found?.draft as never, { ...content, name: "Other" })).toBe(false);
});
