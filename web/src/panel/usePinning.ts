/** Takes the output of a run into the document, so that it stands in for running the node. */

import { useCallback, useState } from "react";
import type { PinnedItem } from "../api/workflowDocument";
import { pinNode } from "../graph/document";
import { fetchItems } from "../run/runItems";
import { useEditor } from "../store/editorStore";
import { toast } from "../ui";
import { MAX_PINNED_BYTES } from "./pinnedData";

const PAGE_SIZE = 250;
/** A document that is saved with every change holds no more than these. */
const MAX_ITEMS = 500;

/** Items of an output as they can be pinned, and how many there are in all. */
export async function fetchOutputItems(
  executionId: string,
  node: string,
  run: number,
  output: number,
): Promise<{ items: PinnedItem[]; total: number }> {
  const items: PinnedItem[] = [];
  let total = 0;
  // A page may end early when its items are large, so the next one begins where it did.
  for (let offset = 0; offset < MAX_ITEMS; ) {
    const page = await fetchItems({ executionId, node, run, output, offset, limit: PAGE_SIZE });
    total = page.total;
    for (const item of page.items) {
      if (item.json) items.push({ json: item.json, ...(item.binary && { binary: item.binary }) });
    }
    offset += page.items.length;
    if (offset >= total || page.items.length === 0) break;
  }
  return { items, total };
}

export function usePinning(node: string) {
  const [busy, setBusy] = useState(false);
  const pinOutput = useCallback(
    async (run: number, output: number) => {
      const { run: view, change, undo } = useEditor.getState();
      if (!view?.executionId) return;
      setBusy(true);
      try {
        const { items, total } = await fetchOutputItems(view.executionId, node, run, output);
        const bytes = JSON.stringify(items).length;
        if (bytes > MAX_PINNED_BYTES) {
          toast({
            text: `The data is ${Math.round(bytes / 1_000_000)} MB. Pin at most 4 MB: edit the output and keep the first items.`,
            tone: "bad",
          });
          return;
        }
        change(`Pin ${node}`, (document) => pinNode(document, node, items));
        const words =
          items.length < total
            ? `Pinned the first ${items.length} of ${total} items.`
            : "Pinned. This data is used instead of running the node.";
        toast({ text: words, undo: () => void undo() });
      } catch (error) {
        toast({
          text: `Could not load the data. ${error instanceof Error ? error.message : ""}`,
          tone: "bad",
        });
      } finally {
        setBusy(false);
      }
    },
    [node],
  );
  return { pin: pinOutput, busy };
}
