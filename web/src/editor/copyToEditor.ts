// Takes an execution back into the editor: its document becomes the draft, the data it began with is pinned, and its results stay in
// sight. The page changes in between, so the copy waits until the editor has loaded the workflow.

import type { PinnedItem, WorkflowDocument } from "../api/workflowDocument";
import { fetchItems } from "../run/runItems";
import type { RunView } from "../run/runView";
import { useEditor } from "../store/editorStore";

/** No more items than this are pinned: a pin is part of the document. */
const MAX_PINNED_ITEMS = 50;
type CopiedExecution = Pick<WorkflowDocument, "nodes" | "connections" | "settings" | "pinData">;

let pendingCopy: { copy: CopiedExecution; view: RunView } | null = null;

/** Keeps an execution's document ready for the editor. */
export async function prepareCopy(document: WorkflowDocument, view: RunView): Promise<void> {
  const { nodes, connections, settings } = document;
  pendingCopy = {
    copy: { nodes, connections, settings, pinData: await fetchStartPins(document, view) },
    view,
  };
}

/** Called when the editor has loaded a workflow: what is ready for it is put in, behind everything else that opening a page does. */
export function applyPendingCopy(workflowId: string): void {
  if (pendingCopy?.view.workflowId !== workflowId) return;
  setTimeout(() => {
    if (pendingCopy) applyCopy(pendingCopy.copy, pendingCopy.view);
    pendingCopy = null;
  });
}

function applyCopy(copy: CopiedExecution, view: RunView): void {
  const { change, setRun } = useEditor.getState();
  change(`Copy execution ${view.executionId}`, (draft) => ({
    ...draft,
    ...copy,
    settings: copy.settings ?? draft.settings,
  }));
  setRun(view);
}

async function fetchStartPins(
  document: WorkflowDocument,
  view: RunView,
): Promise<WorkflowDocument["pinData"]> {
  const start = findStart(view);
  if (!start) return document.pinData ?? {};
  try {
    const page = await fetchItems({
      executionId: view.executionId,
      ...start,
      limit: MAX_PINNED_ITEMS,
    });
    const items = page.items.filter((item) => item.json !== undefined) as PinnedItem[];
    return items.length > 0
      ? { ...document.pinData, [start.node]: items }
      : (document.pinData ?? {});
  } catch {
    // Without its data the document is still worth having.
    return document.pinData ?? {};
  }
}

/** The node that the run began with, and its output that has anything. */
export function findStart(view: RunView): { node: string; output: number } | null {
  let first: { node: string; order: number; output: number } | null = null;
  for (const [node, [run]] of view.nodes) {
    if (!run || run.served || run.source.some((source) => source !== null)) continue;
    const output = run.outputs.find((one) => one.kind === "main" && one.items > 0)?.index;
    if (output !== undefined && (!first || run.order < first.order))
      first = { node, order: run.order, output };
  }
  return first && { node: first.node, output: first.output };
}
