/** Loading a workflow into the editor and saving it again. */

import { ApiError, api, queryClient } from "../api/client";
import { urlPath } from "../api/url";
import type { WorkflowDocument } from "../api/workflowDocument";
import { normalizeDocument } from "../graph/normalize";
import { toast } from "../ui";
import { useEditor } from "./editorStore";

/** The fields of a document that are the author's; the others are the server's. */
function authorFields(document: WorkflowDocument): Partial<WorkflowDocument> {
  const { name, nodes, connections, settings, staticData, pinData, meta } = document;
  return {
    name,
    nodes,
    connections,
    settings: settings ?? {},
    staticData: staticData ?? null,
    pinData: pinData ?? {},
    meta: meta ?? null,
  };
}

export async function loadDocument(id: string): Promise<WorkflowDocument> {
  return normalizeDocument(await api.get<WorkflowDocument>(urlPath`/workflows/${id}`));
}

let saving: Promise<boolean> | null = null;
let justCreatedId: string | null = null;

/** Whether this workflow has just got its address: what is in the editor is it, with its history and its run, and is not loaded again. */
export function wasJustCreated(id: string): boolean {
  return justCreatedId === id;
}

export function clearJustCreated(): void {
  justCreatedId = null;
}

/** Saves the draft; gives whether it is saved now. A second call while one is under way waits for it and saves what came after. */
export async function saveWorkflow(): Promise<boolean> {
  if (saving) {
    await saving;
    if (!useEditor.getState().dirty) return true;
  }
  saving = save().finally(() => {
    saving = null;
  });
  return saving;
}

async function save(): Promise<boolean> {
  const { workflow, draft, markSaved, savedVersion, dirty } = useEditor.getState();
  const sent = draft ?? workflow;
  if (savedVersion && !dirty) return true;
  try {
    const answer = sent.id
      ? await api.put<WorkflowDocument>(urlPath`/workflows/${sent.id}`, authorFields(sent))
      : await api.post<WorkflowDocument>("/workflows", authorFields(sent));
    markSaved(sent, answer);
    if (!sent.id && answer.id) {
      justCreatedId = answer.id;
      window.history.replaceState(null, "", urlPath`/workflow/${answer.id}`);
    }
    void queryClient.invalidateQueries({ queryKey: ["workflows"] });
    void queryClient.invalidateQueries({ queryKey: ["workflow-history"] });
    return true;
  } catch (error) {
    toast({ text: `Could not save workflow. ${errorSentences(error)}`, tone: "bad" });
    return false;
  }
}

/** Lets the workflow listen, or not. What listens is what was saved, so a draft is saved first. */
export async function setWorkflowActive(active: boolean): Promise<void> {
  const { applyServerFields } = useEditor.getState();
  if (active && !(await saveWorkflow())) return;
  const { workflow } = useEditor.getState();
  if (!workflow.id) return;
  try {
    const path = urlPath`/workflows/${workflow.id}/${active ? "activate" : "deactivate"}`;
    applyServerFields(await api.post<WorkflowDocument>(path));
    void queryClient.invalidateQueries({ queryKey: ["workflows"] });
    toast({
      text: active ? "Workflow activated. Its triggers are now live." : "Workflow deactivated.",
    });
  } catch (error) {
    toast({
      text: `${active ? "Could not activate workflow" : "Could not deactivate workflow"}. ${errorSentences(error)}`,
      tone: "bad",
    });
  }
}

export function errorSentences(error: unknown): string {
  if (error instanceof ApiError)
    return [error.message, error.hint]
      .filter(Boolean)
      .map((part) => part?.replace(/[.]?$/, "."))
      .join(" ");
  return error instanceof Error ? error.message : String(error);
}
