/**
 * Unsaved changes as the browser keeps them: one entry per user, workflow and editing session, in local storage, because that is written
 * before the page is gone. What is kept is bounded and has no secrets: of a credential its id and name, of nodes what is no secret of
 * theirs (`withoutSecrets`, done by whoever keeps a draft), and nothing of what the server adds to a document.
 */

import { emptyDocument, type WorkflowDocument, type WorkflowNode } from "../api/workflowDocument";
import { isEqualJson } from "../graph/documentDiff";
import { withContentOf } from "../graph/history";
import { isRecord, normalizeDocument } from "../graph/normalize";

const PREFIX = "heddle.draft";
/** The form of an entry; one of another form is dropped. */
const FORMAT_VERSION = 1;
/** The workflow of a draft that was never saved, as in its address. */
export const NEW_WORKFLOW = "new";

/** The largest draft that is kept, in characters. Browsers give a page about five million for everything. */
export const MAX_DRAFT_CHARS = 2_000_000;
/** All drafts together; the oldest make room. */
export const MAX_TOTAL_CHARS = 4_000_000;
/** The largest number of drafts; the oldest make room. */
export const MAX_DRAFTS = 20;
/** Older drafts are dropped. */
export const MAX_DRAFT_AGE_MS = 30 * 24 * 60 * 60 * 1000;

/** What of [`Storage`] is used. */
export type KeyValueStore = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

/** The storage of the browser, where it allows it. */
export function getBrowserStore(): KeyValueStore | null {
  try {
    return globalThis.localStorage ?? null;
  } catch {
    return null;
  }
}

/** Whose draft, of which workflow, from which editing session. */
export interface DraftId {
  user: string;
  workflow: string;
  session: string;
}

export interface Draft {
  /** When it was last changed. */
  at: number;
  /** The saved version that was changed; `null` where nothing was saved yet. */
  base: string | null;
  document: WorkflowDocument;
  /** Secrets that were typed since the last save were not kept along. */
  lacksSecrets: boolean;
  /** Pinned data was too large to be kept along. */
  lacksPins: boolean;
}

/** A draft before it is known what fits. */
export type NewDraft = Omit<Draft, "lacksPins">;

/** What became of a draft that was to be kept. */
export type SaveOutcome = "whole" | "without pins" | "not";

export function draftKey({ user, workflow, session }: DraftId): string {
  return [PREFIX, user, workflow, session].map(encodeURIComponent).join("/");
}

export function saveDraft(store: KeyValueStore, id: DraftId, draft: NewDraft): SaveOutcome {
  const key = draftKey(id);
  const whole = serializeDraft(draft, false);
  const text = whole.length <= MAX_DRAFT_CHARS ? whole : serializeDraft(draft, true);
  if (text.length > MAX_DRAFT_CHARS) return "not";
  evictOldDrafts(store, key, text.length);
  while (true) {
    try {
      store.setItem(key, text);
      return text === whole ? "whole" : "without pins";
    } catch {
      // The browser has less room than expected, or none at all for this page.
      const [oldest] = listEntries(store).filter((entry) => entry.key !== key);
      if (!oldest) return "not";
      store.removeItem(oldest.key);
    }
  }
}

/** The drafts of one user for one workflow, the newest first. What cannot be read, or is too old, is dropped. */
export function listDrafts(
  store: KeyValueStore,
  user: string,
  workflow: string,
  now: number,
): { id: DraftId; draft: Draft }[] {
  const found: { id: DraftId; draft: Draft }[] = [];
  for (const { key, id } of listEntries(store)) {
    const draft = readDraft(store.getItem(key));
    if (!draft || now - draft.at > MAX_DRAFT_AGE_MS) store.removeItem(key);
    else if (id.user === user && id.workflow === workflow) found.push({ id, draft });
  }
  return found.sort((one, other) => other.draft.at - one.draft.at);
}

export function deleteDraft(store: KeyValueStore, id: DraftId): void {
  store.removeItem(draftKey(id));
}

/** Nothing of a user who signs out stays on the machine. */
export function deleteUserDrafts(user: string, store = getBrowserStore()): void {
  for (const { key, id } of store ? listEntries(store) : [])
    if (id.user === user) store?.removeItem(key);
}

/** The document with the changes of a draft, and everything that is the server's as it is now. */
export function applyDraft(now: WorkflowDocument, draft: Draft): WorkflowDocument {
  const { staticData, pinData } = now;
  const document = { ...withContentOf(now, draft.document), staticData };
  return normalizeDocument(draft.lacksPins ? { ...document, pinData } : document);
}

/** Whether a draft has nothing that the saved document has not. */
export function isAlreadySaved(draft: Draft, saved: WorkflowDocument): boolean {
  const own = draftContent(draft.document);
  const theirs = draftContent(saved);
  if (draft.lacksPins) for (const content of [own, theirs]) delete content.pinData;
  return isEqualJson(normalizeJson(own), normalizeJson(theirs));
}

/** What is left of a value when it is written and read again, such as no fields without a value. */
function normalizeJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** The author's part of a document, with nothing of a credential but its id and name. */
function draftContent({
  name,
  nodes,
  connections,
  settings,
  pinData,
  meta,
}: WorkflowDocument): Record<string, unknown> {
  return {
    name,
    nodes: nodes.map(stripCredentialData),
    connections,
    settings: settings ?? {},
    pinData: pinData ?? {},
    meta: meta ?? null,
  };
}

function stripCredentialData(node: WorkflowNode): WorkflowNode {
  if (!isRecord(node.credentials)) {
    const { credentials: _, ...rest } = node;
    return rest as WorkflowNode;
  }
  const named = Object.entries(node.credentials).filter(([, one]) => isRecord(one));
  return {
    ...node,
    credentials: Object.fromEntries(named.map(([kind, { id, name }]) => [kind, { id, name }])),
  };
}

function serializeDraft(
  { at, base, document, lacksSecrets }: NewDraft,
  lacksPins: boolean,
): string {
  const content = draftContent(document);
  if (lacksPins) delete content.pinData;
  return JSON.stringify({
    form: FORMAT_VERSION,
    at,
    base,
    lacksSecrets,
    lacksPins,
    document: content,
  });
}

/** Anybody may have written to the storage, so nothing in it is taken for granted. */
function readDraft(text: string | null): Draft | null {
  try {
    const value: unknown = JSON.parse(text ?? "");
    if (
      !isRecord(value) ||
      value.form !== FORMAT_VERSION ||
      typeof value.at !== "number" ||
      !isRecord(value.document)
    )
      return null;
    const given = value.document as unknown as WorkflowDocument;
    if (typeof given.name !== "string" || !Array.isArray(given.nodes)) return null;
    const document = normalizeDocument({ ...emptyDocument(given.name), ...given });
    return {
      at: value.at,
      base: typeof value.base === "string" ? value.base : null,
      document,
      lacksSecrets: value.lacksSecrets === true,
      lacksPins: value.lacksPins === true,
    };
  } catch {
    return null;
  }
}

interface Entry {
  key: string;
  id: DraftId;
  chars: number;
  at: number;
}

/** Every draft of this browser, the oldest first. */
function listEntries(store: KeyValueStore): Entry[] {
  const found: Entry[] = [];
  for (let index = 0; index < store.length; index++) {
    const key = store.key(index);
    const id = key === null ? null : parseKey(key);
    if (key === null || !id) continue;
    const text = store.getItem(key) ?? "";
    // Read from the first letters: a draft may be long, and there may be many.
    found.push({
      key,
      id,
      chars: text.length,
      at: Number(text.slice(0, 60).match(/"at":(\d+)/)?.[1] ?? 0),
    });
  }
  return found.sort((one, other) => one.at - other.at);
}

function parseKey(key: string): DraftId | null {
  const [prefix, user, workflow, session, ...more] = key.split("/");
  if (prefix !== PREFIX || !user || !workflow || !session || more.length > 0) return null;
  try {
    const [one, other, last] = [user, workflow, session].map(decodeURIComponent);
    return { user: one ?? "", workflow: other ?? "", session: last ?? "" };
  } catch {
    return null;
  }
}

function evictOldDrafts(store: KeyValueStore, key: string, chars: number): void {
  const others = listEntries(store).filter((entry) => entry.key !== key);
  let total = others.reduce((sum, entry) => sum + entry.chars, chars);
  while (others.length >= MAX_DRAFTS || total > MAX_TOTAL_CHARS) {
    const oldest = others.shift();
    if (!oldest) return;
    total -= oldest.chars;
    store.removeItem(oldest.key);
  }
}
