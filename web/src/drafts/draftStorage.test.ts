import { describe, expect, it } from "vitest";
import { emptyDocument, type WorkflowDocument, type WorkflowNode } from "../api/workflowDocument";
import {
  applyDraft,
  deleteUserDrafts,
  draftKey,
  isAlreadySaved,
  listDrafts,
  MAX_DRAFT_AGE_MS,
  MAX_DRAFT_CHARS,
  MAX_DRAFTS,
  MAX_TOTAL_CHARS,
  saveDraft,
} from "./draftStorage";
import { MemoryStore } from "./memoryStore";

const NOW = 1_800_000_000_000;
const ID = { user: "ada", workflow: "w1", session: "s1" };

function node(name: string, fields: Partial<WorkflowNode> = {}): WorkflowNode {
  return {
    id: name,
    name,
    type: "n8n-nodes-base.set",
    typeVersion: 1,
    position: [0, 0],
    parameters: {},
    ...fields,
  };
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
    saveDraft(store, ID, draft(document(node("A"))));
    saveDraft(store, { ...ID, session: "s2" }, draft(document(node("B")), NOW + 1));
    saveDraft(store, { ...ID, user: "bob" }, draft(document(node("C"))));
    saveDraft(store, { ...ID, workflow: "new" }, draft(document(node("D")), NOW, null));
    const found = listDrafts(store, "ada", "w1", NOW);
    expect(found.map((one) => one.draft.document.nodes[0]?.name)).toEqual(["B", "A"]);
    expect(found[1]).toMatchObject({ id: ID, draft: { at: NOW, base: "v1", lacksPins: false } });
    expect(applyDraft(document(), found[0]?.draft as never)).toMatchObject({
      id: "w1",
      versionId: "v1",
      nodes: [{ name: "B" }],
    });
  });

  it("with nothing of a credential but its id and name", () => {
    const store = new MemoryStore();
    const secret = { id: "7", name: "Mail", data: { password: "hunter2" } } as never;
    const odd = "hunter2" as never;
    saveDraft(
      store,
      ID,
      draft(
        document(
          node("A", { credentials: { smtp: secret, odd } }),
          node("B", { credentials: odd }),
        ),
      ),
    );
    expect([...store.kept.values()].join()).not.toContain("hunter2");
    expect(listDrafts(store, "ada", "w1", NOW)[0]?.draft.document.nodes[0]?.credentials).toEqual({
      smtp: { id: "7", name: "Mail" },
    });
  });

  it("but nothing that is the server's, such as fields it added to the document", () => {
    const store = new MemoryStore();
    saveDraft(
      store,
      ID,
      draft({
        ...document(),
        shared: [{ email: "owner@example.com" }],
        staticData: { token: "owner@" },
      }),
    );
    expect([...store.kept.values()].join()).not.toContain("owner@");
    const [found] = listDrafts(store, "ada", "w1", NOW);
    expect(
      applyDraft({ ...document(), staticData: { since: 1 } }, found?.draft as never).staticData,
    ).toEqual({ since: 1 });
  });

  it("without pinned data where that is too much, and not at all where the rest is", () => {
    const store = new MemoryStore();
    const pinned = {
      ...document(node("A")),
      pinData: { A: [{ json: { text: "x".repeat(MAX_DRAFT_CHARS) } }] },
    };
    expect(saveDraft(store, ID, draft(pinned))).toBe("without pins");
    const [found] = listDrafts(store, "ada", "w1", NOW);
    const now = { ...document(), pinData: { A: [{ json: { kept: true } }] } };
    expect(applyDraft(now, found?.draft as never)).toMatchObject({
      nodes: [{ name: "A" }],
      pinData: now.pinData,
    });
    const huge = document(node("A", { parameters: { text: "x".repeat(MAX_DRAFT_CHARS) } }));
    expect(saveDraft(store, { ...ID, session: "s2" }, draft(huge))).toBe("not");
    expect(store.length).toBe(1);
  });

  it("the oldest making room for the newest", () => {
    const store = new MemoryStore();
    for (let n = 0; n < MAX_DRAFTS + 5; n++)
      saveDraft(store, { ...ID, session: `s${n}` }, draft(document(), NOW + n));
    expect(store.length).toBe(MAX_DRAFTS);
    expect(store.getItem(draftKey({ ...ID, session: "s4" }))).toBeNull();
    const large = document(node("A", { parameters: { text: "x".repeat(MAX_TOTAL_CHARS / 3) } }));
    for (let n = 0; n < 4; n++)
      saveDraft(store, { ...ID, session: `l${n}` }, draft(large, NOW + 100 + n));
    const chars = [...store.kept.values()].reduce((sum, text) => sum + text.length, 0);
    expect(chars).toBeLessThanOrEqual(MAX_TOTAL_CHARS);
    expect(store.getItem(draftKey({ ...ID, session: "l3" }))).not.toBeNull();
  });

  it("also where the browser has less room than it should, and without failing where it has none", () => {
    const small = new MemoryStore(900);
    saveDraft(
      small,
      { ...ID, session: "old" },
      draft(document(node("A", { notes: "x".repeat(300) })), NOW),
    );
    expect(
      saveDraft(small, ID, draft(document(node("B", { notes: "x".repeat(300) })), NOW + 1)),
    ).toBe("whole");
    expect(listDrafts(small, "ada", "w1", NOW).map((one) => one.id.session)).toEqual(["s1"]);
    expect(saveDraft(new MemoryStore(0), ID, draft(document()))).toBe("not");
  });

  it("until they are too old, or cannot be read", () => {
    const store = new MemoryStore();
    saveDraft(store, ID, draft(document()));
    expect(listDrafts(store, "ada", "w1", NOW + MAX_DRAFT_AGE_MS + 1)).toEqual([]);
    for (const text of ["", "{", "null", '{"form":2}', '{"form":1,"at":1,"document":{"name":3}}']) {
      store.setItem(draftKey(ID), text);
      expect(listDrafts(store, "ada", "w1", NOW)).toEqual([]);
      expect(store.length).toBe(0);
    }
    store.setItem("heddle.draft/%E0%A4%A/w1/s1", "{}");
    store.setItem("something/else", "{}");
    expect(listDrafts(store, "ada", "w1", NOW)).toEqual([]);
    expect(store.getItem("something/else")).toBe("{}");
  });

  it("and go when their user signs out", () => {
    const store = new MemoryStore();
    saveDraft(store, ID, draft(document()));
    saveDraft(store, { ...ID, user: "ada/w1" }, draft(document()));
    saveDraft(store, { ...ID, user: "bob" }, draft(document()));
    deleteUserDrafts("ada", store);
    expect(listDrafts(store, "ada", "w1", NOW)).toEqual([]);
    expect(store.length).toBe(2);
  });
});

it("a draft that says what was saved meanwhile is not worth an offer", () => {
  const store = new MemoryStore();
  const content = document(
    node("A", { credentials: { smtp: { id: "7", name: "Mail" } }, notes: undefined }),
  );
  saveDraft(store, ID, draft(content));
  const [found] = listDrafts(store, "ada", "w1", NOW);
  expect(
    isAlreadySaved(found?.draft as never, { ...content, versionId: "v2", pinData: null }),
  ).toBe(true);
  expect(isAlreadySaved(found?.draft as never, { ...content, name: "Other" })).toBe(false);
});
