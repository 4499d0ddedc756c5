/** Takes the output of a run into the document, so that it stands in for running the node. */

import { useCallback, useState } from "react";
import { useEditor } from "../editor/store";
import { pin } from "../graph/document";
import type { PinnedItem } from "../graph/types";
import { fetchItems } from "../run/items";
import { toast } from "../ui";
import { MOST_BYTES } from "./pinned";

const PAGE = 250;
/** A document that is saved with every change holds no more than these. */
const MOST_ITEMS = 500;

/** Items of an output as they can be pinned, and how many there are in all. */
export async function outputItems(
  executionId: string,
  node: string,
  run: number,
  output: number,
): Promise<{ items: PinnedItem[]; total: number }> {
  const items: PinnedItem[] = [];
  let total = 0;
  // A page may end early when its items are large, so the next one begins where it did.
  for (let offset = 0; offset < MOST_ITEMS; ) {
    const page = await fetchItems({ executionId, node, run, output, offset, limit: PAGE });
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
        const { items, total } = await outputItems(view.executionId, node, run, output);
        const bytes = JSON.stringify(items).length;
        if (bytes > MOST_BYTES) {
          toast({
            text: `The data has ${Math.round(bytes / 1_000_000)} MB. At most 4 MB can be pinned: edit the output and keep the first items.`,
            tone: "bad",
          });
          return;
        }
        change(`Pin ${node}`, (document) => pin(document, node, items));
        const words =
          items.length < total
            ? `The first ${items.length} of ${total} items are pinned.`
            : "Pinned. This data is used instead of running the node.";
        toast({ text: words, undo: () => void undo() });
      } catch (error) {
        toast({ text: `The data could not be read. ${error instanceof Error ? error.message : ""}`, tone: "bad" });
      } finally {
        setBusy(false);
      }
    },
    [node],
  );
  return { pin: pinOutput, busy };
}
