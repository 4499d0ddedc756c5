// Takes an execution back into the editor: its document becomes the draft, the data it began with is pinned, and its results stay in
// sight. The page changes in between, so the copy waits until the editor has loaded the workflow.

import { useEditor } from "../editor/store";
import type { PinnedItem, WorkflowDocument } from "../graph/types";
import { fetchItems } from "./items";
import type { RunView } from "./view";

/** No more items than this are pinned: a pin is part of the document. */
const MOST_PINNED = 50;
/** A page that has not loaded by then was never opened. */
const PATIENCE_MS = 15_000;

/** Puts an execution's document into the editor as soon as that has loaded the workflow anew. */
export async function copyToEditor(document: WorkflowDocument, view: RunView): Promise<void> {
  const copy: Pick<WorkflowDocument, "nodes" | "connections" | "settings" | "pinData"> = {
    nodes: document.nodes,
    connections: document.connections,
    settings: document.settings,
    pinData: await pinsOf(document, view),
  };
  const before = useEditor.getState().saved;
  const end = useEditor.subscribe(({ saved, shown, change, setRun }) => {
    if (saved === before || saved?.id !== view.workflowId || shown !== null) return;
    stop();
    change(`Copy execution ${view.executionId}`, (draft) => ({ ...draft, ...copy, settings: copy.settings ?? draft.settings }));
    setRun(view);
  });
  const timer = setTimeout(end, PATIENCE_MS);
  const stop = () => {
    clearTimeout(timer);
    end();
  };
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
