// Executions from the server, page by page, and kept up to date by what runs tell.

import {
  type InfiniteData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { api, fetchAll } from "../api/client";
import type { Execution, Paged, Workflow } from "../api/types";
import { followEvents } from "./eventStream";
import { type ExecutionFilters, toQuery } from "./executionFilters";
import { applyEvent } from "./liveUpdates";

const PAGE_SIZE = 50;

export function useExecutions(filters: ExecutionFilters) {
  const client = useQueryClient();
  const key = useMemo(() => ["executions", filters] as const, [filters]);
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      api.get<Paged<Execution>>(
        "/executions",
        { ...toQuery(filters, Date.now()), limit: PAGE_SIZE, cursor: pageParam },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.nextCursor ?? undefined,
  });
  useEffect(() => {
    const following = followEvents({
      path: `/api/v1/events${filters.workflow ? `?workflowId=${encodeURIComponent(filters.workflow)}` : ""}`,
      onEvents: (events) =>
        client.setQueryData<InfiniteData<Paged<Execution>>>(key, (known) => {
          if (!known) return known;
          const now = Date.now();
          let changed = false;
          const pages = known.pages.map((page, at) => {
            // New runs stand on the first page only.
            const told =
              at === 0 ? events : events.filter((event) => event.type !== "executionStarted");
            const data = told.reduce<readonly Execution[]>(
              (rows, event) => applyEvent(rows, event, filters, now),
              page.data,
            );
            if (data === page.data) return page;
            changed = true;
            return { ...page, data: [...data] };
          });
          return changed ? { ...known, pages } : known;
        }),
      onReturn: () => void client.invalidateQueries({ queryKey: key }),
    });
    return () => following.stop();
  }, [client, key, filters]);
  const rows = useMemo(
    () => unique(query.data?.pages.flatMap((page) => page.data) ?? []),
    [query.data],
  );
  return { ...query, rows };
}

/** A run that began while pages were being read can stand on two of them. */
function unique(rows: Execution[]): Execution[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const id = String(row.id);
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

/** The names of workflows by id. */
export function useWorkflowNames(): ReadonlyMap<string, string> {
  const { data } = useQuery({
    queryKey: ["workflows", "names"],
    queryFn: () => fetchAll<Workflow>("/workflows"),
    staleTime: 30_000,
  });
  return useMemo(
    () => new Map((data ?? []).map((workflow) => [workflow.id, workflow.name])),
    [data],
  );
}
