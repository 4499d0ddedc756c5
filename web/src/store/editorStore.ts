/**
 * The state of the editor: the document, what is chosen in it, its history and the run that is shown over it.
 *
 * Every change of a document goes through `change`, so that it can be undone and the saved state is known. Components subscribe to
 * the smallest part they need; nothing here changes while the canvas is only panned or zoomed.
 */
import { create } from "zustand";
import { emptyDocument, type WorkflowDocument } from "../api/workflowDocument";
import {
  EMPTY_HISTORY,
  type History,
  isSameContent,
  recordChange,
  redoStep,
  undoStep,
} from "../graph/history";
import type { NewNames } from "../graph/renameReferences";
import { renameInRun, withCurrentNames } from "../run/recordedNames";
import type { RunView } from "../run/runView";

/** Something that is only looked at, in place of the draft. */
export type ShownDocument =
  | { kind: "execution"; id: string }
  | { kind: "version"; id: string; at: string; document: WorkflowDocument; compare: boolean }
  | null;

export interface EditorState {
  workflow: WorkflowDocument;
  /** The document as the server has it; `null` for one that was never saved. */
  saved: WorkflowDocument | null;
  savedVersion: string | null;
  dirty: boolean;
  /** Names of the nodes that are chosen. */
  selection: ReadonlySet<string>;
  /** Keys of the connections that are chosen. */
  selectedEdges: ReadonlySet<string>;
  /** Name of the node whose panel is open. */
  open: string | null;
  run: RunView | null;
  readOnly: boolean;
  /** Whoever is signed in may only look, so that every document is read-only. */
  isViewer: boolean;
  shown: ShownDocument;
  /** The document that is being worked on, while something else is shown. */
  draft: WorkflowDocument | null;
  history: History;
  change(label: string, update: (document: WorkflowDocument) => WorkflowDocument): void;
  undo(): string | null;
  redo(): string | null;
  select(names: Iterable<string>, edges?: Iterable<string>): void;
  openNode(name: string | null): void;
  setRun(run: RunView | null): void;
  /** Begins with a document that came from the server, or with a new one. */
  load(document: WorkflowDocument, stored: boolean): void;
  /** Takes what the server says about a document after it was saved; changes made meanwhile stay unsaved. */
  markSaved(sent: WorkflowDocument, answer: Partial<WorkflowDocument>): void;
  /** Takes fields that are the server's, such as `active` and `tags`, without a step of history. */
  applyServerFields(fields: Partial<WorkflowDocument>): void;
  /** Shows another document to be looked at; the draft waits behind it. */
  show(document: WorkflowDocument, shown: NonNullable<ShownDocument>): void;
  stopShowing(): void;
}

const EMPTY_SET: ReadonlySet<string> = new Set();

export const useEditor = create<EditorState>()((set, get) => ({
  workflow: emptyDocument(),
  saved: null,
  savedVersion: null,
  dirty: false,
  selection: EMPTY_SET,
  selectedEdges: EMPTY_SET,
  open: null,
  run: null,
  readOnly: false,
  isViewer: false,
  shown: null,
  draft: null,
  history: EMPTY_HISTORY,

  change(label, update) {
    const { workflow, readOnly, history, saved, selection, open, run } = get();
    if (readOnly) return;
    const next = update(workflow);
    if (next === workflow) return;
    set({
      workflow: next,
      history: recordChange(history, label, workflow, Date.now()),
      dirty: !saved || !isSameContent(next, saved),
      ...selectionAfter(workflow, next, selection, open),
      ...runAfter(workflow, next, run),
    });
  },

  undo() {
    return applyHistoryStep(get, set, undoStep);
  },

  redo() {
    return applyHistoryStep(get, set, redoStep);
  },

  select(names, edges = EMPTY_SET) {
    const { selection, selectedEdges } = get();
    const chosen = new Set(names);
    const chosenEdges = new Set(edges);
    if (isSameSet(selection, chosen) && isSameSet(selectedEdges, chosenEdges)) return;
    set({ selection: chosen, selectedEdges: chosenEdges });
  },

  openNode(name) {
    if (name === null) set({ open: null });
    else if (get().workflow.nodes.some((node) => node.name === name))
      set({ open: name, selection: new Set([name]), selectedEdges: EMPTY_SET });
  },

  setRun(run) {
    set({ run: run && withCurrentNames(run) });
  },

  load(document, stored) {
    set({
      workflow: document,
      saved: stored ? document : null,
      savedVersion: (stored && document.versionId) || null,
      dirty: false,
      selection: EMPTY_SET,
      selectedEdges: EMPTY_SET,
      open: null,
      run: null,
      readOnly: get().isViewer,
      shown: null,
      draft: null,
      history: EMPTY_HISTORY,
    });
  },

  markSaved(sent, answer) {
    const { workflow, history } = get();
    const server = serverFields(answer);
    const next = { ...workflow, ...server };
    const saved = { ...sent, ...server };
    // What is typed from now on is a step of its own, so that one can undo to exactly what was saved.
    set({
      workflow: next,
      saved,
      savedVersion: answer.versionId ?? null,
      dirty: !isSameContent(next, saved),
      history: { ...history, last: null },
    });
  },

  applyServerFields(fields) {
    const { workflow, saved, draft } = get();
    const server = serverFields(fields);
    set({
      workflow: { ...workflow, ...server },
      saved: saved && { ...saved, ...server },
      draft: draft && { ...draft, ...server },
    });
  },

  show(document, shown) {
    const { workflow, draft } = get();
    set({
      workflow: document,
      draft: draft ?? workflow,
      shown,
      readOnly: true,
      selection: EMPTY_SET,
      selectedEdges: EMPTY_SET,
      open: null,
    });
  },

  stopShowing() {
    const { draft } = get();
    if (!draft) return;
    set({
      workflow: draft,
      draft: null,
      shown: null,
      readOnly: get().isViewer,
      run: null,
      selection: EMPTY_SET,
      selectedEdges: EMPTY_SET,
      open: null,
    });
  },
}));

type GetState = () => EditorState;
type SetState = (part: Partial<EditorState>) => void;

function applyHistoryStep(get: GetState, set: SetState, step: typeof undoStep): string | null {
  const { workflow, history, saved, readOnly, selection, open, run } = get();
  const found = readOnly ? null : step(history, workflow);
  if (!found) return null;
  set({
    workflow: found.document,
    history: found.history,
    dirty: !saved || !isSameContent(found.document, saved),
    ...selectionAfter(workflow, found.document, selection, open),
    ...runAfter(workflow, found.document, run),
  });
  return found.label;
}

/** What is chosen and open after a change: nodes that are gone are no longer, one that was renamed still is. */
function selectionAfter(
  before: WorkflowDocument,
  after: WorkflowDocument,
  selection: ReadonlySet<string>,
  open: string | null,
) {
  if (before.nodes === after.nodes || (selection.size === 0 && open === null)) return {};
  const names = new Set(after.nodes.map((node) => node.name));
  const nameNow = (name: string): string | null => {
    if (names.has(name)) return name;
    const id = before.nodes.find((node) => node.name === name)?.id;
    return (id && after.nodes.find((node) => node.id === id)?.name) || null;
  };
  const kept = [...selection].map(nameNow).filter((name) => name !== null);
  const nowOpen = open === null ? null : nameNow(open);
  return {
    ...(isSameSet(selection, new Set(kept)) ? {} : { selection: new Set(kept) }),
    ...(nowOpen === open ? {} : { open: nowOpen }),
  };
}

/** The results that are shown stay with their nodes when these get other names. */
function runAfter(before: WorkflowDocument, after: WorkflowDocument, run: RunView | null) {
  const names = run && renamedNodes(before, after);
  return names && names.size > 0 ? { run: renameInRun(run, names) } : {};
}

/** The new names of nodes by their old ones. */
function renamedNodes(before: WorkflowDocument, after: WorkflowDocument): NewNames {
  if (before.nodes === after.nodes) return new Map();
  const names = new Map(before.nodes.map((node) => [node.id, node.name]));
  const renamed = new Map<string, string>();
  for (const { id, name } of after.nodes) {
    const old = id === undefined ? undefined : names.get(id);
    if (old !== undefined && old !== name) renamed.set(old, name);
  }
  return renamed;
}

const SERVER_FIELDS = [
  "id",
  "active",
  "isArchived",
  "versionId",
  "activeVersionId",
  "tags",
  "createdAt",
  "updatedAt",
] as const;

function serverFields(answer: Partial<WorkflowDocument>): Partial<WorkflowDocument> {
  const fields: Partial<WorkflowDocument> = {};
  for (const key of SERVER_FIELDS) {
    if (answer[key] !== undefined) (fields as Record<string, unknown>)[key] = answer[key];
  }
  return fields;
}

function isSameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (one.size !== other.size) return false;
  for (const name of one) if (!other.has(name)) return false;
  return true;
}
