/** Keeps what is not saved in the browser while it is worked on, and forgets it when it is saved, taken back or left behind. */
import { catalogueNow } from "../api/catalogue";
import { meNow, onSignOut } from "../api/session";
import { type EditorState, useEditor } from "../editor/store";
import { isSame } from "../graph/diff";
import { newId } from "../graph/names";
import { emptyDocument } from "../graph/types";
import { confirm, toast } from "../ui";
import { answerOthers } from "./live";
import { withoutSecrets, withSecretsOf } from "./secrets";
import { browserStore, type DraftId, dropDraft, keepDraft, keyOf, NEW } from "./storage";

/** Changes are written at most this often, and when the page is left. */
export const WRITE_MS = 1_000;

/** One session per document that is opened: two tabs with the same workflow keep a draft each. */
let session = newId();
/** Who opened it. Somebody else may sign in on the same page, when a session has run out. */
let owner: string | undefined;
/** The draft of this session, if one is kept. */
let kept: DraftId | null = null;
let timer: ReturnType<typeof setTimeout> | null = null;
let hasStarted = false;
let hasWarned = false;

/** Keeps every unsaved change from now on. */
export function startKeeping(): void {
  if (hasStarted) return;
  hasStarted = true;
  useEditor.subscribe(onChange);
  answerOthers(() => keptKey());
  // The last moment that every browser gives: a closed tab, a reload, a phone that puts the page away.
  window.addEventListener("pagehide", keepNow);
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && keepNow());
  onSignOut({ mayLeave, left });
}

/** Called before another document is loaded: the draft of this one stays kept, to be offered when its workflow is opened again. */
export function startSession(): void {
  keepNow();
  session = newId();
  owner = meNow()?.id;
  kept = null;
  hasWarned = false;
}

/** Whether what is in the editor is the work of whoever is signed in. */
export function isOwnSession(): boolean {
  return owner === meNow()?.id;
}

/** The key of the draft of this session. */
export function keptKey(): string | null {
  return kept && keyOf(kept);
}

/** Writes what is not saved without waiting. */
export function keepNow(): void {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  const { dirty, draft, workflow, saved, savedVersion, isViewer } = useEditor.getState();
  if (!dirty || isViewer || !owner) return;
  const catalogue = catalogueNow();
  // Until the node types are there nobody knows which parameters are secrets.
  if (catalogue.all.length === 0) {
    later();
    return;
  }
  const whole = draft ?? workflow;
  const document = withoutSecrets(whole, catalogue);
  const lacksSecrets = document !== whole && !isSame(withSecretsOf(document, saved ?? document, catalogue).nodes, whole.nodes);
  const id = { user: owner, workflow: document.id ?? NEW, session };
  const store = browserStore();
  const result = store ? keepDraft(store, id, { at: Date.now(), base: savedVersion, document, lacksSecrets }) : "not";
  if (result !== "not") kept = id;
  else if (!hasWarned) {
    hasWarned = true;
    toast({ text: "Unsaved changes of this workflow do not fit into the browser's storage. Save often.", tone: "bad" });
  }
}

function onChange(state: EditorState, before: EditorState): void {
  if (!state.dirty) {
    if (before.dirty) forget();
  } else if (state.workflow !== before.workflow || !before.dirty) later();
}

function later(): void {
  timer ??= setTimeout(keepNow, WRITE_MS);
}

/** Nothing is unsaved any more: it was saved, undone, or left behind on purpose. */
function forget(): void {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  const store = browserStore();
  if (kept && store) dropDraft(store, kept);
  kept = null;
}

async function mayLeave(): Promise<boolean> {
  if (!useEditor.getState().dirty) return true;
  return confirm({
    title: "Sign out without saving?",
    text: "Unsaved changes are removed from this browser when you sign out.",
    action: "Sign out",
    danger: true,
  });
}

/** Whoever signs in next does not find the document of the one before. */
function left(): void {
  forget();
  useEditor.getState().load(emptyDocument(), false);
}
