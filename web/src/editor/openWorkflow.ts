/** Putting the workflow of an address into the editor: by its page, or, for whoever comes straight to a canvas, before there is one. */
import { queryOptions } from "@tanstack/react-query";
import { queryClient } from "../api/client";
import { loadMe } from "../api/session";
import { emptyDocument, type WorkflowDocument } from "../api/workflowDocument";
import { isOwnSession, startAutosave, startDraftSession } from "../drafts/autosave";
import { useEditor } from "../store/editorStore";
import { loadDocument } from "../store/saveWorkflow";
import { applyPendingCopy } from "./copyToEditor";

export const workflowQuery = (id: string) =>
  queryOptions({
    queryKey: ["workflow", id],
    queryFn: () => (id === "new" ? Promise.resolve(emptyDocument()) : loadDocument(id)),
    // What is edited lives in the editor's own state; a copy that comes later must not take its place.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** Takes a document as the one of this address, unless the draft of it is already in the editor. */
export function openDocument(id: string, document: WorkflowDocument, isViewer: boolean) {
  useEditor.setState({ isViewer });
  startAutosave();
  if (!isDraftKept(id, document.versionId)) {
    startDraftSession();
    useEditor.getState().load(document, id !== "new");
  }
  applyPendingCopy(id);
}

let preopenedId: string | null = null;

/** Opens a workflow before its page is drawn, so that the first drawing is the canvas. What fails is asked for again by the page and told there. */
export async function preopenWorkflow(id: string) {
  const [me, document] = await Promise.all([loadMe(), queryClient.fetchQuery(workflowQuery(id))]);
  openDocument(id, document, me.role === "viewer");
  preopenedId = id;
}

/** Whether the workflow was opened early; it need not be loaded again. */
export function isPreopened(id: string): boolean {
  return preopenedId === id;
}

export function clearPreopened(): void {
  preopenedId = null;
}

/** What is in the editor stays there, with its history, after a look at an execution or after the first save gave it an address. */
function isDraftKept(id: string, versionId: string | undefined): boolean {
  const { saved, dirty, stopShowing } = useEditor.getState();
  if (!saved || saved.id !== id || !isOwnSession() || !(dirty || saved.versionId === versionId))
    return false;
  stopShowing();
  useEditor.setState({ saved: { ...saved } });
  return true;
}
