/** Where the data of a view comes from: a page of a run's items on the server, or items that are in the document already. */

import { useMemo } from "react";
import type { PinnedItem } from "../graph/types";
import { type BinaryReference, useItems } from "../run/items";
import { searchItems } from "./table";

export const PAGE = 50;

export interface ShownItem {
  json?: Record<string, unknown>;
  binary?: Record<string, BinaryReference>;
  preview?: string;
  bytes?: number;
  /** Its place in the whole list, where only some of it were asked for. */
  index?: number;
}

export type Source =
  | { kind: "run"; executionId: string; node: string; run: number; output: number; connection: string; version: string }
  | { kind: "pinned"; items: readonly PinnedItem[] };

export interface Data {
  items: readonly ShownItem[];
  total: number;
  isPending: boolean;
  error: Error | null;
  retry: () => void;
}

/** The number of an item, counted from 1 over all pages. */
export function numberOf(item: ShownItem, first: number, at: number): number {
  return (item.index ?? first + at) + 1;
}

/** The items of a source from one place on. The server may give fewer than a page when they are large. */
export function useData(source: Source | null, offset: number, search: string): Data {
  const run = source?.kind === "run" ? source : null;
  const asked = useItems({
    executionId: run?.executionId,
    node: run?.node ?? "",
    run: run?.run,
    kind: run?.connection,
    output: run?.output,
    offset,
    limit: PAGE,
    search,
    version: run?.version,
    enabled: run !== null,
  });
  const pinned = source?.kind === "pinned" ? source.items : null;
  const local = useMemo(() => (pinned ? searchItems(pinned, search) : null), [pinned, search]);
  if (local) {
    const items = local.slice(offset, offset + PAGE) as unknown as ShownItem[];
    return { items, total: local.length, isPending: false, error: null, retry: () => undefined };
  }
  return {
    items: asked.data?.items ?? NONE,
    total: asked.data?.total ?? 0,
    isPending: run !== null && asked.isPending,
    error: asked.error,
    retry: () => void asked.refetch(),
  };
}

const NONE: readonly ShownItem[] = [];
