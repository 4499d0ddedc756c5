// Takes an execution back into the editor: its document becomes the draft, the data it began with is pinned, and its results stay in
// sight. The page changes in between, so the copy waits until the editor has loaded the workflow.

import { useEditor } from "../editor/store";
import type { PinnedItem, WorkflowDocument } from "../graph/types";
import { fetchItems } from "./items";
import type { RunView } from "./view";

/** No more items than this are pinned: a pin is part of the document. */
const MOST_PINNED = 50;
type Copied = Pick<WorkflowDocument, "nodes" | "connections" | "settings" | "pinData">;

let planned: { copy: Copied; view: RunView } | null = null;

/** Keeps an execution's document ready for the editor. */
export async function planCopy(document: WorkflowDocument, view: RunView): Promise<void> {
  const { nodes, connections, settings } = document;
  planned = { copy: { nodes, connections, settings, pinData: await pinsOf(document, view) }, view };
}

/** Called when the editor has loaded a workflow: what is ready for it is put in, behind everything else that opening a page does. */
export function takeCopy(workflowId: string): void {
  if (planned?.view.workflowId !== workflowId) return;
  setTimeout(() => {
    if (planned) put(planned.copy, planned.view);
    planned = null;
  });
}

function put(copy: Copied, view: RunView): void {
  const { change, setRun } = useEditor.getState();
  change(`Copy execution ${view.executionId}`, (draft) => ({ ...draft, ...copy, settings: copy.settings ?? draft.settings }));
  setRun(view);
}

async function pinsOf(document: WorkflowDocument, view: RunView): Promise<WorkflowDocument["pinData"]> {
  const start = startOf(view);
  if (!start) return document.pinData ?? {};
  try {
    const page = await fetchItems({ executionId: view.executionId, ...start, limit: MOST_PINNED });
    const items = page.items.filter((item) => item.json !== undefined) as PinnedItem[];
    return items.length > 0 ? { ...document.pinData, [start.node]: items } : (document.pinData ?? {});
  } catch {
    // Without its data the document is still worth having.
    return document.pinData ?? {};
  }
}

/** The node that the run began with, and its output that has anything. */
export function startOf(view: RunView): { node: string; output: number } | null {
  let first: { node: string; order: number; output: number } | null = null;
  for (const [node, [run]] of view.nodes) {
    if (!run || run.served || run.source.some((source) => source !== null)) continue;
    const output = run.outputs.find((one) => one.kind === "main" && one.items > 0)?.index;
    if (output !== undefined && (!first || run.order < first.order)) first = { node, order: run.order, output };
  }
  return first && { node: first.node, output: first.output };
}
