/** Unsaved changes that an earlier session left behind: found when a workflow is opened, and taken back or thrown away. */
import { create } from "zustand";
import { catalogueNow } from "../api/catalogue";
import { meNow } from "../api/session";
import { useEditor } from "../editor/store";
import { differenceOf, summaryOf } from "../graph/diff";
import { toast } from "../ui";
import { keepNow, keptKey } from "./keeping";
import { openElsewhere } from "./live";
import { withoutSecrets, withSecretsOf } from "./secrets";
import { browserStore, type Draft, type DraftId, draftsOf, dropDraft, isSaved, keepDraft, keyOf, NEW, restored } from "./storage";

interface Found {
  id: DraftId;
  draft: Draft;
}

/** The newest draft that may be taken back; `null` while there is none. */
export const useOffer = create<{ offer: Found | null }>()(() => ({ offer: null }));

/** Looks for drafts of the workflow that was just opened. */
export async function findDrafts(): Promise<void> {
  useOffer.setState({ offer: null });
  const { workflow, isViewer } = useEditor.getState();
  const store = browserStore();
  const user = meNow()?.id;
  if (!store || !user || isViewer) return;
  const place = workflow.id ?? NEW;
  if (draftsOf(store, user, place, Date.now()).length === 0) return;
  const elsewhere = await openElsewhere();
  // Asked again: meanwhile another workflow may have been opened, or this one saved.
  if ((useEditor.getState().workflow.id ?? NEW) !== place) return;
  const left = draftsOf(store, user, place, Date.now()).filter(({ id }) => keyOf(id) !== keptKey() && !elsewhere.has(keyOf(id)));
  const { saved } = useEditor.getState();
  const known = saved && withoutSecrets(saved, catalogueNow());
  const isKnown = ({ draft }: Found) => known !== null && !draft.lacksSecrets && isSaved(draft, known);
  for (const { id } of left.filter(isKnown)) dropDraft(store, id);
  useOffer.setState({ offer: left.find((found) => !isKnown(found)) ?? null });
}

/** Puts the changes on the canvas, as one step that can be undone. They stay unsaved until they are saved. */
export function restoreDraft({ id, draft }: Found): void {
  useEditor
    .getState()
    .change("Restore unsaved changes", (document) => withSecretsOf(restored(document, draft), document, catalogueNow()));
  // The changes are this session's from here on, so they are kept under its name before the old entry goes.
  keepNow();
  const store = browserStore();
  if (store && keptKey() !== null) dropDraft(store, id);
  useOffer.setState({ offer: null });
  const undo = () => {
    useEditor.getState().undo();
    putBack(id, draft);
  };
  const lacking = [draft.lacksPins && "pinned data", draft.lacksSecrets && "secrets, which are to be entered again"].filter(
    Boolean,
  );
  const without = lacking.length > 0 ? `, without ${lacking.join(" and ")}` : "";
  toast({ text: `Unsaved changes restored${without}. Save to keep them.`, undo });
}

export function discardDraft({ id, draft }: Found): void {
  const store = browserStore();
  if (!store) return;
  dropDraft(store, id);
  toast({ text: "Unsaved changes discarded.", undo: () => putBack(id, draft) });
  void findDrafts();
}

function putBack(id: DraftId, draft: Draft): void {
  const store = browserStore();
  if (store) keepDraft(store, id, draft);
  void findDrafts();
}

/** Whether the workflow was saved again after these changes were begun. */
export function isOutdated(draft: Draft, savedVersion: string | null): boolean {
  return savedVersion !== null && draft.base !== savedVersion;
}

/** What restoring would change: "1 added, 2 changed". */
export function changesOf(draft: Draft): string {
  const { workflow } = useEditor.getState();
  return summaryOf(differenceOf(workflow, withSecretsOf(draft.document, workflow, catalogueNow())));
}
