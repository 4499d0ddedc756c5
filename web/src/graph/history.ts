/** Undo and redo without limit over documents that share what did not change. */
import type { WorkflowDocument } from "../api/workflowDocument";

/** A state to go back to, and what was done after it. */
interface HistoryStep {
  label: string;
  document: WorkflowDocument;
}

export interface History {
  past: readonly HistoryStep[];
  future: readonly HistoryStep[];
  /** When the last change was made and what it was called, to join what belongs together. */
  last: { label: string; at: number } | null;
}

export const EMPTY_HISTORY: History = { past: [], future: [], last: null };

/** Changes of one name that follow each other within this time are one step, such as the letters of a text. */
export const COALESCE_MS = 800;

/** Notes that `before` was left by a change. */
export function recordChange(
  history: History,
  label: string,
  before: WorkflowDocument,
  now: number,
): History {
  const last = { label, at: now };
  if (
    history.last &&
    history.last.label === label &&
    now - history.last.at < COALESCE_MS &&
    history.past.length > 0
  ) {
    return { ...history, future: [], last };
  }
  return { past: [...history.past, { label, document: before }], future: [], last };
}

/** The parts of a document that a change of the workflow may touch; the rest is the server's and is not undone. */
const CONTENT_FIELDS = [
  "name",
  "nodes",
  "connections",
  "settings",
  "pinData",
  "staticData",
  "meta",
] as const;

/** The document with the content of an earlier one. */
export function withContentOf(
  document: WorkflowDocument,
  earlier: WorkflowDocument,
): WorkflowDocument {
  const result: WorkflowDocument = { ...document };
  for (const key of CONTENT_FIELDS) {
    if (key in earlier) (result as Record<string, unknown>)[key] = earlier[key];
    else delete (result as Record<string, unknown>)[key];
  }
  return result;
}

/** Whether nothing lies between two states of a document; by identity, which sharing makes exact enough and quick. */
export function isSameContent(one: WorkflowDocument, other: WorkflowDocument): boolean {
  return one === other || CONTENT_FIELDS.every((key) => one[key] === other[key]);
}

/** One step back: the document then, the history after, and what was undone. `null` at the beginning. */
export function undoStep(
  history: History,
  now: WorkflowDocument,
): { history: History; document: WorkflowDocument; label: string } | null {
  const step = history.past[history.past.length - 1];
  if (!step) return null;
  const future = [{ label: step.label, document: now }, ...history.future];
  return {
    history: { past: history.past.slice(0, -1), future, last: null },
    document: withContentOf(now, step.document),
    label: step.label,
  };
}

/** One step forward again. */
export function redoStep(
  history: History,
  now: WorkflowDocument,
): { history: History; document: WorkflowDocument; label: string } | null {
  const [step, ...future] = history.future;
  if (!step) return null;
  const past = [...history.past, { label: step.label, document: now }];
  return {
    history: { past, future, last: null },
    document: withContentOf(now, step.document),
    label: step.label,
  };
}
