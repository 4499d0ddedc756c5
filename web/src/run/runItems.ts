// Items of a run, a page at a time: the server keeps them, and no tab has to hold fifty megabytes to show fifty rows.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api } from "../api/client";
import type { ExecutionSchema } from "../api/generated";
import { urlPath } from "../api/url";
import { recordedName } from "./recordedNames";

/** One item as the server shows it; one that is too large comes as a preview of its text. */
export interface RunItem {
  json?: Record<string, unknown>;
  binary?: Record<string, BinaryReference>;
  pairedItem?: unknown;
  /** The first part of an item that is too large to be sent. */
  preview?: string;
  bytes?: number;
}

export interface BinaryReference {
  fileName?: string;
  mimeType?: string;
  fileSize?: number | string;
  url?: string;
  [field: string]: unknown;
}

export interface ItemsPage {
  items: RunItem[];
  total: number;
  truncated?: boolean;
}

export interface ItemsOptions {
  executionId: string | null | undefined;
  node: string;
  run?: number;
  kind?: string;
  output?: number;
  direction?: "output" | "input";
  offset?: number;
  limit?: number;
  search?: string;
  /** Changes when the node has run again, so that the page is read anew. */
  version?: string | number;
}

export function itemsKey(options: ItemsOptions): readonly unknown[] {
  const {
    executionId,
    node,
    run = 0,
    kind = "main",
    output = 0,
    direction = "output",
    offset = 0,
    limit = 50,
    search = "",
    version,
  } = options;
  const recorded = recordedName(executionId, node);
  const place = [executionId, recorded, run, kind, output, direction];
  return ["items", ...place, offset, limit, search, version];
}

export async function fetchItems(options: ItemsOptions, signal?: AbortSignal): Promise<ItemsPage> {
  const {
    executionId,
    node,
    run = 0,
    kind = "main",
    output = 0,
    direction = "output",
    offset = 0,
    limit = 50,
    search,
  } = options;
  const place = { node: recordedName(executionId, node), run, kind, output, direction };
  const query = { ...place, offset, limit, search: search || undefined };
  return api.get<ItemsPage>(urlPath`/executions/${executionId}/items`, query, signal);
}

/** A page of items of one output or input. The page before stays in sight until the next one is there. */
export function useItems(options: ItemsOptions & { enabled?: boolean }) {
  return useQuery({
    queryKey: itemsKey(options),
    queryFn: ({ signal }) => fetchItems(options, signal),
    enabled: (options.enabled ?? true) && Boolean(options.executionId),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export type SchemaField = ExecutionSchema["fields"][number];

/** The fields of a node's output with a sample of each, from the first items. */
export function useSchema(options: {
  executionId: string | null | undefined;
  node: string;
  run?: number;
  output?: number;
  version?: string | number;
}) {
  const { executionId, run = 0, output = 0, version } = options;
  const node = recordedName(executionId, options.node);
  return useQuery({
    queryKey: ["schema", executionId, node, run, output, version],
    queryFn: ({ signal }) =>
      api.get<ExecutionSchema>(
        urlPath`/executions/${executionId}/schema`,
        { node, run, output },
        signal,
      ),
    enabled: Boolean(executionId),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
