/** Unsaved changes that an earlier session left behind: found when a workflow is opened, and taken back or thrown away. */
import { create } from "zustand";
import { getCatalogue } from "../api/catalogue";
import { getMe } from "../api/session";
import { diffDocuments, summarizeDiff } from "../graph/documentDiff";
import { useEditor } from "../store/editorStore";
import { toast } from "../ui";
import { currentDraftKey, saveDraftNow } from "./autosave";
import {
  applyDraft,
  type Draft,
  type DraftId,
  deleteDraft,
  draftKey,
  getBrowserStore,
  isAlreadySaved,
  listDrafts,
  NEW_WORKFLOW,
  saveDraft,
} from "./draftStorage";
import { draftsOpenElsewhere } from "./openTabs";
import { restoreSecrets, withoutSecrets } from "./secrets";

interface FoundDraft {
  id: DraftId;
  draft: Draft;
}

/** The newest draft that may be taken back; `null` while there is none. */
export const useRestoreOffer = create<{ offer: FoundDraft | null }>()(() => ({ offer: null }));

/** Looks for drafts of the workflow that was just opened. */
export async function offerDraft(): Promise<void> {
  useRestoreOffer.setState({ offer: null });
  const { workflow, isViewer } = useEditor.getState();
  const store = getBrowserStore();
  const user = getMe()?.id;
  if (!store || !user || isViewer) return;
  const place = workflow.id ?? NEW_WORKFLOW;
  if (listDrafts(store, user, place, Date.now()).length === 0) return;
  const elsewhere = await draftsOpenElsewhere();
  // Asked again: meanwhile another workflow may have been opened, or this one saved.
  if ((useEditor.getState().workflow.id ?? NEW_WORKFLOW) !== place) return;
  const left = listDrafts(store, user, place, Date.now()).filter(
    ({ id }) => draftKey(id) !== currentDraftKey() && !elsewhere.has(draftKey(id)),
  );
  const { saved } = useEditor.getState();
  const known = saved && withoutSecrets(saved, getCatalogue());
  const isKnown = ({ draft }: FoundDraft) =>
    known !== null && !draft.lacksSecrets && isAlreadySaved(draft, known);
  for (const { id } of left.filter(isKnown)) deleteDraft(store, id);
  useRestoreOffer.setState({ offer: left.find((found) => !isKnown(found)) ?? null });
}

/** Puts the changes on the canvas, as one step that can be undone. They stay unsaved until they are saved. */
export function restoreDraft({ id, draft }: FoundDraft): void {
  useEditor
    .getState()
    .change("Restore unsaved changes", (document) =>
      restoreSecrets(applyDraft(document, draft), document, getCatalogue()),
    );
  // The changes are this session's from here on, so they are kept under its name before the old entry goes.
  saveDraftNow();
  const store = getBrowserStore();
  if (store && currentDraftKey() !== null) deleteDraft(store, id);
  useRestoreOffer.setState({ offer: null });
  const undo = () => {
    useEditor.getState().undo();
    saveDraftAgain(id, draft);
  };
  const lacking = [
    draft.lacksPins && "pinned data",
    draft.lacksSecrets && "secrets (enter them again)",
  ].filter(Boolean);
  const without = lacking.length > 0 ? `, without ${lacking.join(" and ")}` : "";
  toast({ text: `Unsaved changes restored${without}. Save to keep them.`, undo });
}

export function discardDraft({ id, draft }: FoundDraft): void {
  const store = getBrowserStore();
  if (!store) return;
  deleteDraft(store, id);
  toast({ text: "Unsaved changes discarded.", undo: () => saveDraftAgain(id, draft) });
  void offerDraft();
}

function saveDraftAgain(id: DraftId, draft: Draft): void {
  const store = getBrowserStore();
  if (store) saveDraft(store, id, draft);
  void offerDraft();
}

/** Whether the workflow was saved again after these changes were begun. */
export function isDraftOutdated(draft: Draft, savedVersion: string | null): boolean {
  return savedVersion !== null && draft.base !== savedVersion;
}

/** What restoring would change: "1 added, 2 changed". */
export function summarizeChanges(draft: Draft): string {
  const { workflow } = useEditor.getState();
  return summarizeDiff(
    diffDocuments(workflow, restoreSecrets(draft.document, workflow, getCatalogue())),
  );
}
