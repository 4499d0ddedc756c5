/** Putting the workflow of an address into the editor: by its page, or, for whoever comes straight to a canvas, before there is one. */
import { queryOptions } from "@tanstack/react-query";
import { queryClient } from "../api/client";
import { loadMe } from "../api/session";
import { isOwnSession, startKeeping, startSession } from "../drafts/keeping";
import { emptyDocument, type WorkflowDocument } from "../graph/types";
import { takeCopy } from "../run/copy";
import { loadWorkflow } from "./save";
import { useEditor } from "./store";

export const workflowQuery = (id: string) =>
  queryOptions({
    queryKey: ["workflow", id],
    queryFn: () => (id === "new" ? Promise.resolve(emptyDocument()) : loadWorkflow(id)),
    // What is edited lives in the editor's own state; a copy that comes later must not take its place.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** Takes a document as the one of this address, unless the draft of it is already in the editor. */
export function openDocument(id: string, document: WorkflowDocument, isViewer: boolean) {
  useEditor.setState({ isViewer });
  startKeeping();
  if (!keepDraft(id, document.versionId)) {
    startSession();
    useEditor.getState().load(document, id !== "new");
  }
  takeCopy(id);
}

let opened: string | null = null;

/** Opens a workflow before its page is drawn, so that the first drawing is the canvas. What fails is asked for again by the page and told there. */
export async function openEarly(id: string) {
  const [me, document] = await Promise.all([loadMe(), queryClient.fetchQuery(workflowQuery(id))]);
  openDocument(id, document, me.role === "viewer");
  opened = id;
}

/** Whether the workflow was opened early; it need not be loaded again. */
export function isOpened(id: string): boolean {
  return opened === id;
}

export function forgetOpened(): void {
  opened = null;
}

/** What is in the editor stays there, with its history, after a look at an execution or after the first save gave it an address. */
function keepDraft(id: string, versionId: string | undefined): boolean {
  const { saved, dirty, endShow } = useEditor.getState();
  if (!saved || saved.id !== id || !isOwnSession() || !(dirty || saved.versionId === versionId)) return false;
  endShow();
  useEditor.setState({ saved: { ...saved } });
  return true;
}
