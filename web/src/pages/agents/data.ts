// What the pages about agents ask the server.

import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { urlPath } from "../../api/address";
import { all, api } from "../../api/client";
import type { ExecutionOutline } from "../../api/generated";
import type { Execution, ListPage } from "../../api/types";
import type { WorkflowDocument } from "../../graph/types";
import { agentWorkflows, dayAgo, type SpendingRow, spentByWorkflow } from "./agents";

export const DAYS = 30;

export function useAgents() {
  const query = useQuery({
    queryKey: ["workflows", "documents"],
    queryFn: () => all<WorkflowDocument>("/workflows"),
    staleTime: 15_000,
  });
  const agents = useMemo(() => (query.data ? agentWorkflows(query.data) : undefined), [query.data]);
  return { ...query, agents };
}

export function useSpending() {
  const from = dayAgo(DAYS, new Date());
  const { data } = useQuery({
    queryKey: ["spending", from],
    queryFn: () => api.get<{ data: SpendingRow[]; dollars: number }>("/spending", { from }),
    staleTime: 30_000,
  });
  return useMemo(() => spentByWorkflow(data?.data ?? []), [data]);
}

const RUNS = 25;

/** The newest runs of workflows that have agents. */
export function useAgentRuns(workflowIds: readonly string[]) {
  const queries = useQueries({
    queries: workflowIds.map((workflowId) => ({
      queryKey: ["executions", "agent-runs", workflowId],
      queryFn: () => api.get<ListPage<Execution>>("/executions", { workflowId, limit: RUNS }),
      refetchInterval: 5_000,
    })),
  });
  const rows = queries
    .flatMap((query) => query.data?.data ?? [])
    .sort((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt));
  return {
    rows: rows.slice(0, RUNS),
    error: queries.find((query) => query.error)?.error,
    isPending: queries.some((query) => query.isPending),
    refetch: () => void Promise.all(queries.map((query) => query.refetch())),
  };
}

export interface RunCost {
  tokens: number;
  dollars: number;
  models: string[];
}

/** What runs cost, read from their records; of those that go on nothing is said yet. */
export function useCosts(rows: readonly Execution[]): ReadonlyMap<string, RunCost> {
  const over = rows.filter((row) => row.status !== "running" && row.status !== "waiting").map((row) => String(row.id));
  const queries = useQueries({
    queries: over.map((id) => ({
      queryKey: ["outline-cost", id],
      queryFn: async (): Promise<RunCost> => {
        const { models = [] } = await api.get<ExecutionOutline>(urlPath`/executions/${id}/outline`);
        return {
          tokens: models.reduce((sum, row) => sum + row.inputTokens + row.outputTokens, 0),
          dollars: models.reduce((sum, row) => sum + (row.dollars ?? 0), 0),
          models: [...new Set(models.map((row) => row.model))],
        };
      },
      staleTime: Number.POSITIVE_INFINITY,
    })),
  });
  return new Map(over.flatMap((id, at) => (queries[at]?.data ? [[id, queries[at].data] as const] : [])));
}
