// Takes an execution back into the editor: its document becomes the draft, the data it began with is pinned, and its results stay in
// sight. The page changes in between, so the copy waits here until the editor has loaded the workflow.

import { useEditor } from "../editor/store";
import type { PinnedItem, WorkflowDocument } from "../graph/types";
import { fetchItems } from "./items";
import type { RunView } from "./view";

/** No more items than this are pinned: a pin is part of the document. */
const MOST_PINNED = 50;

let planned: { document: WorkflowDocument; view: RunView } | null = null;

export function planCopy(document: WorkflowDocument, view: RunView): void {
  planned = { document, view };
}

/** Called by the editor once a workflow is loaded. Gives whether there was something to take. */
export async function takeCopy(workflowId: string): Promise<boolean> {
  if (!planned || planned.view.workflowId !== workflowId) return false;
  const { document, view } = planned;
  planned = null;
  const pinData = { ...document.pinData };
  const start = startOf(view);
  if (start) {
    try {
      const page = await fetchItems({
        executionId: view.executionId,
        node: start.node,
        output: start.output,
        limit: MOST_PINNED,
      });
      const items = page.items.filter((item) => item.json !== undefined) as PinnedItem[];
      if (items.length > 0) pinData[start.node] = items;
    } catch {
      // Without its data the document is still worth having.
    }
  }
  const { change, setRun } = useEditor.getState();
  change(`Copy execution ${view.executionId}`, (draft) => ({
    ...draft,
    nodes: document.nodes,
    connections: document.connections,
    settings: document.settings ?? draft.settings,
    pinData,
  }));
  setRun(view);
  return true;
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
