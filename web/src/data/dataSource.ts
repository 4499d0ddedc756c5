/** Where the data of a view comes from: a page of a run's items on the server, or items that are in the document already. */

import { useMemo } from "react";
import type { PinnedItem } from "../api/workflowDocument";
import { type BinaryReference, useItems } from "../run/runItems";
import { searchItems } from "./tableCells";

export const PAGE_SIZE = 50;

export interface DisplayItem {
  json?: Record<string, unknown>;
  binary?: Record<string, BinaryReference>;
  preview?: string;
  bytes?: number;
  /** Its place in the whole list, where only some of it were asked for. */
  index?: number;
}

export type DataSource =
  | {
      kind: "run";
      executionId: string;
      node: string;
      run: number;
      output: number;
      connection: string;
      version: string;
    }
  | { kind: "pinned"; items: readonly PinnedItem[] };

export interface DataResult {
  items: readonly DisplayItem[];
  total: number;
  isPending: boolean;
  error: Error | null;
  retry: () => void;
}

/** The number of an item, counted from 1 over all pages. */
export function itemNumber(item: DisplayItem, first: number, at: number): number {
  return (item.index ?? first + at) + 1;
}

/** The items of a source from one place on. The server may give fewer than a page when they are large. */
export function useDataSource(
  source: DataSource | null,
  offset: number,
  search: string,
): DataResult {
  const run = source?.kind === "run" ? source : null;
  const asked = useItems({
    executionId: run?.executionId,
    node: run?.node ?? "",
    run: run?.run,
    kind: run?.connection,
    output: run?.output,
    offset,
    limit: PAGE_SIZE,
    search,
    version: run?.version,
    enabled: run !== null,
  });
  const pinned = source?.kind === "pinned" ? source.items : null;
  const local = useMemo(() => (pinned ? searchItems(pinned, search) : null), [pinned, search]);
  if (local) {
    const items = local.slice(offset, offset + PAGE_SIZE) as unknown as DisplayItem[];
    return { items, total: local.length, isPending: false, error: null, retry: () => undefined };
  }
  return {
    items: asked.data?.items ?? NO_ITEMS,
    total: asked.data?.total ?? 0,
    isPending: run !== null && asked.isPending,
    error: asked.error,
    retry: () => void asked.refetch(),
  };
}

const NO_ITEMS: readonly DisplayItem[] = [];
