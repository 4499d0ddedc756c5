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

/** One page of the items of a source. */
export function useData(source: Source | null, page: number, search: string): Data {
  const run = source?.kind === "run" ? source : null;
  const asked = useItems({
    executionId: run?.executionId,
    node: run?.node ?? "",
    run: run?.run,
    kind: run?.connection,
    output: run?.output,
    offset: page * PAGE,
    limit: PAGE,
    search,
    version: run?.version,
    enabled: run !== null,
  });
  const pinned = source?.kind === "pinned" ? source.items : null;
  const local = useMemo(() => (pinned ? searchItems(pinned, search) : null), [pinned, search]);
  if (local) {
    const items = local.slice(page * PAGE, (page + 1) * PAGE) as unknown as ShownItem[];
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
