/** Keeps what is not saved in the browser while it is worked on, and forgets it when it is saved, taken back or left behind. */
import { create } from "zustand";
import { getCatalogue } from "../api/catalogue";
import { getMe, onSignOut } from "../api/session";
import { emptyDocument } from "../api/workflowDocument";
import { isEqualJson } from "../graph/documentDiff";
import { newId } from "../graph/nodeNames";
import { type EditorState, useEditor } from "../store/editorStore";
import { confirm, toast } from "../ui";
import {
  type DraftId,
  deleteDraft,
  draftKey,
  getBrowserStore,
  NEW_WORKFLOW,
  saveDraft,
} from "./draftStorage";
import { announceOpenDraft } from "./openTabs";
import { restoreSecrets, withoutSecrets } from "./secrets";

/** Changes are written at most this often, and when the page is left. */
export const WRITE_INTERVAL_MS = 1_000;

/** One session per document that is opened: two tabs with the same workflow keep a draft each. */
let session = newId();
/** Who opened it. Somebody else may sign in on the same page, when a session has run out. */
let owner: string | undefined;
/** The draft of this session, if one is kept. */
let currentDraft: DraftId | null = null;
let timer: ReturnType<typeof setTimeout> | null = null;
let hasStarted = false;
let hasWarned = false;

/** How the draft in the editor stands: nothing to keep, about to be written, kept since then, or too large for the browser. */
export type DraftState = { is: "none" | "pending" | "failed" } | { is: "kept"; at: number };

export const useDraftState = create<{ draft: DraftState }>()(() => ({ draft: { is: "none" } }));

function showState(draft: DraftState): void {
  useDraftState.setState({ draft });
}

/** Keeps every unsaved change from now on. */
export function startAutosave(): void {
  if (hasStarted) return;
  hasStarted = true;
  useEditor.subscribe(onEditorChange);
  announceOpenDraft(() => currentDraftKey());
  // The last moment that every browser gives: a closed tab, a reload, a phone that puts the page away.
  window.addEventListener("pagehide", saveDraftNow);
  document.addEventListener(
    "visibilitychange",
    () => document.visibilityState === "hidden" && saveDraftNow(),
  );
  onSignOut({ beforeSignOut: confirmSignOut, afterSignOut: onSignedOut });
}

/** Called before another document is loaded: the draft of this one stays kept, to be offered when its workflow is opened again. */
export function startDraftSession(): void {
  saveDraftNow();
  session = newId();
  owner = getMe()?.id;
  currentDraft = null;
  hasWarned = false;
}

/** Whether what is in the editor is the work of whoever is signed in. */
export function isOwnSession(): boolean {
  return owner === getMe()?.id;
}

/** The key of the draft of this session. */
export function currentDraftKey(): string | null {
  return currentDraft && draftKey(currentDraft);
}

/** Writes what is not saved without waiting. */
export function saveDraftNow(): void {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  const { dirty, draft, workflow, saved, savedVersion, isViewer } = useEditor.getState();
  if (!dirty || isViewer || !owner) return;
  const catalogue = getCatalogue();
  // Until the node types are there nobody knows which parameters are secrets.
  if (catalogue.all.length === 0) {
    scheduleSave();
    return;
  }
  const whole = draft ?? workflow;
  const document = withoutSecrets(whole, catalogue);
  const lacksSecrets =
    document !== whole &&
    !isEqualJson(restoreSecrets(document, saved ?? document, catalogue).nodes, whole.nodes);
  const id = { user: owner, workflow: document.id ?? NEW_WORKFLOW, session };
  const store = getBrowserStore();
  const at = Date.now();
  const result = store
    ? saveDraft(store, id, { at, base: savedVersion, document, lacksSecrets })
    : "not";
  showState(result === "not" ? { is: "failed" } : { is: "kept", at });
  if (result !== "not") currentDraft = id;
  else if (!hasWarned) {
    hasWarned = true;
    toast({
      text: "Unsaved changes to this workflow exceed the browser's storage. Save often.",
      tone: "bad",
    });
  }
}

function onEditorChange(state: EditorState, before: EditorState): void {
  if (!state.dirty) {
    if (before.dirty) discardCurrentDraft();
  } else if (state.workflow !== before.workflow || !before.dirty) scheduleSave();
}

function scheduleSave(): void {
  showState({ is: "pending" });
  timer ??= setTimeout(saveDraftNow, WRITE_INTERVAL_MS);
}

/** Nothing is unsaved any more: it was saved, undone, or left behind on purpose. */
function discardCurrentDraft(): void {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  const store = getBrowserStore();
  if (currentDraft && store) deleteDraft(store, currentDraft);
  currentDraft = null;
  showState({ is: "none" });
}

async function confirmSignOut(): Promise<boolean> {
  if (!useEditor.getState().dirty) return true;
  return confirm({
    title: "Sign out without saving?",
    text: "Unsaved changes are removed from this browser when you sign out.",
    action: "Sign out",
    danger: true,
  });
}

/** Whoever signs in next does not find the document of the one before. */
function onSignedOut(): void {
  discardCurrentDraft();
  useEditor.getState().load(emptyDocument(), false);
}
