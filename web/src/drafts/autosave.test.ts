import { beforeEach, describe, expect, it, vi } from "vitest";
import { Catalogue } from "../api/catalogue";
import { queryClient } from "../api/client";
import type { NodeType } from "../api/spec";
import { emptyDocument, type WorkflowDocument } from "../api/workflowDocument";
import { addNode } from "../graph/document";
import { useEditor } from "../store/editorStore";
import { saveDraftNow, startAutosave, startDraftSession, WRITE_INTERVAL_MS } from "./autosave";
import { MemoryStore } from "./memoryStore";
import {
  discardDraft,
  isDraftOutdated,
  offerDraft,
  restoreDraft,
  useRestoreOffer,
} from "./restoreOffer";

const listeners = new Map<string, () => void>();
let store = new MemoryStore();

vi.stubGlobal("window", {
  addEventListener: (name: string, listener: () => void) => listeners.set(name, listener),
});
vi.stubGlobal("document", { addEventListener: () => {}, visibilityState: "visible" });
vi.stubGlobal("BroadcastChannel", undefined);

beforeEach(() => {
  vi.useFakeTimers();
  store = new MemoryStore();
  vi.stubGlobal("localStorage", store);
  queryClient.setQueryData(["me"], { id: "ada" });
  queryClient.setQueryData(["node-types"], new Catalogue([HASH]));
  useEditor.setState({ isViewer: false, dirty: false });
  startAutosave();
  open({ ...emptyDocument("Orders"), id: "w1", versionId: "v1" });
});

/** A node with a secret among its parameters, and one among its options. */
const secret = (name: string) => ({ name, label: name, kind: { type: "secret" } });
const HASH = {
  id: "n8n-nodes-base.hash",
  versions: [1],
  params: [
    secret("key"),
    { name: "options", label: "Options", kind: { type: "collection", params: [secret("salt")] } },
  ],
} as unknown as NodeType;

/** What the page of a workflow does. */
function open(document: WorkflowDocument) {
  startDraftSession();
  useEditor.getState().load(document, document.id !== undefined);
}

function add(name: string) {
  useEditor.getState().change("Add node", (document) =>
    addNode(document, {
      id: name,
      name,
      type: "n8n-nodes-base.set",
      typeVersion: 1,
      position: [0, 0],
      parameters: {},
    }),
  );
}

const names = () => useEditor.getState().workflow.nodes.map((node) => node.name);
const saved = () => useEditor.getState().workflow;

describe("issue_14_00_unsaved_changes_are_offered_after_a_crash_or_reload", () => {
  it("kept a moment after a change, also while changes go on and on", () => {
    for (let n = 0; n < 10; n++) {
      add(`A${n}`);
      vi.advanceTimersByTime(WRITE_INTERVAL_MS / 5);
    }
    expect(store.length).toBe(1);
    expect([...store.kept.values()][0]).toContain("A4");
  });

  it("kept at once when the page is left", () => {
    add("A");
    expect(store.length).toBe(0);
    listeners.get("pagehide")?.();
    expect(store.length).toBe(1);
  });

  it("restored as one step that can be undone, and kept until it is saved", async () => {
    add("A");
    saveDraftNow();
    open({ ...emptyDocument("Orders"), id: "w1", versionId: "v1" });
    await offerDraft();
    const { offer } = useRestoreOffer.getState();
    expect(offer?.draft.document.nodes).toHaveLength(1);
    restoreDraft(offer as never);
    expect(names()).toEqual(["A"]);
    expect(useEditor.getState().dirty).toBe(true);
    expect(useRestoreOffer.getState().offer).toBeNull();
    expect(store.length).toBe(1);
    useEditor.getState().markSaved(saved(), { ...saved(), versionId: "v2" });
    expect(store.length).toBe(0);
  });

  it("said to be outdated where the workflow was saved meanwhile, and left alone until somebody chooses", async () => {
    add("A");
    saveDraftNow();
    open({ ...emptyDocument("Orders of today"), id: "w1", versionId: "v2" });
    await offerDraft();
    const { offer } = useRestoreOffer.getState();
    expect(isDraftOutdated(offer?.draft as never, useEditor.getState().savedVersion)).toBe(true);
    expect(useEditor.getState().workflow.name).toBe("Orders of today");
    expect(useEditor.getState().dirty).toBe(false);
  });

  it("not offered where the saved version has them already", async () => {
    add("A");
    saveDraftNow();
    open({ ...saved(), versionId: "v2" });
    await offerDraft();
    expect(useRestoreOffer.getState().offer).toBeNull();
    expect(store.length).toBe(0);
  });

  it("thrown away on request, which can be taken back", async () => {
    add("A");
    saveDraftNow();
    open({ ...emptyDocument("Orders"), id: "w1", versionId: "v1" });
    await offerDraft();
    discardDraft(useRestoreOffer.getState().offer as never);
    expect(store.length).toBe(0);
    expect(useRestoreOffer.getState().offer).toBeNull();
  });

  it("of a workflow that was never saved too", async () => {
    open(emptyDocument());
    add("A");
    saveDraftNow();
    open(emptyDocument());
    await offerDraft();
    restoreDraft(useRestoreOffer.getState().offer as never);
    expect(names()).toEqual(["A"]);
    useEditor.getState().markSaved(saved(), { id: "w9", versionId: "v1" });
    expect(store.length).toBe(0);
  });

  it("without secrets of nodes: what was saved comes back from there, and what was not is said to be missing", async () => {
    const hash = (key: string, salt: string) => ({
      ...{
        id: "h",
        name: "Hash",
        type: "n8n-nodes-base.hash",
        typeVersion: 1,
        position: [0, 0] as const,
      },
      parameters: { key, options: { salt, rounds: 3 } },
    });
    const stored = {
      ...emptyDocument("Orders"),
      id: "w1",
      versionId: "v1",
      nodes: [hash("saved-key", "={{ $vars.salt }}")],
    };
    open(stored);
    add("A");
    saveDraftNow();
    expect([...store.kept.values()].join()).not.toContain("saved-key");
    expect([...store.kept.values()].join()).toContain("$vars.salt");
    open(stored);
    await offerDraft();
    expect(useRestoreOffer.getState().offer?.draft.lacksSecrets).toBe(false);
    restoreDraft(useRestoreOffer.getState().offer as never);
    expect(useEditor.getState().workflow.nodes).toMatchObject([
      { parameters: { key: "saved-key" } },
      { name: "A" },
    ]);
    useEditor
      .getState()
      .change("Type", (document) => ({ ...document, nodes: [hash("typed-key", "typed-salt")] }));
    saveDraftNow();
    expect([...store.kept.values()].join()).not.toContain("typed-");
    open(stored);
    await offerDraft();
    expect(useRestoreOffer.getState().offer?.draft.lacksSecrets).toBe(true);
  });

  it("and not before it is known which parameters are secrets", () => {
    queryClient.removeQueries({ queryKey: ["node-types"] });
    add("A");
    saveDraftNow();
    expect(store.length).toBe(0);
    queryClient.setQueryData(["node-types"], new Catalogue([HASH]));
    vi.advanceTimersByTime(WRITE_INTERVAL_MS);
    expect(store.length).toBe(1);
  });

  it("but not those of somebody else, of a viewer, or of what was undone or left behind on purpose", async () => {
    add("A");
    saveDraftNow();
    useEditor.getState().undo();
    expect(store.length).toBe(0);
    add("A");
    saveDraftNow();
    useEditor.setState({ dirty: false });
    expect(store.length).toBe(0);
    add("B");
    saveDraftNow();
    queryClient.setQueryData(["me"], { id: "bob" });
    open({ ...emptyDocument("Orders"), id: "w1", versionId: "v1" });
    await offerDraft();
    expect(useRestoreOffer.getState().offer).toBeNull();
    queryClient.setQueryData(["me"], { id: "ada" });
    useEditor.setState({ isViewer: true });
    await offerDraft();
    expect(useRestoreOffer.getState().offer).toBeNull();
  });
});
