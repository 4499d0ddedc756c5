// What the pages about agents ask the server.

import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useCatalogue } from "../../api/catalogue";
import { api } from "../../api/client";
import type { ExecutionOutline } from "../../api/generated";
import type { Execution, Paged } from "../../api/types";
import { urlPath } from "../../api/url";
import { useWorkflowDocuments } from "../../workflows/workflowApi";
import {
  daysAgo,
  listAgentWorkflows,
  type SpendingRow,
  spendingByWorkflow,
} from "./agentWorkflows";

export const SPENDING_DAYS = 30;

export function useAgents() {
  const query = useWorkflowDocuments();
  const catalogue = useCatalogue();
  const agents = useMemo(
    // Only the catalogue knows which nodes are agents.
    () =>
      query.data && catalogue.all.length > 0
        ? listAgentWorkflows(query.data, catalogue)
        : undefined,
    [query.data, catalogue],
  );
  return { ...query, agents };
}

export function useAgentSpending() {
  const from = daysAgo(SPENDING_DAYS, new Date());
  const { data } = useQuery({
    queryKey: ["spending", from],
    queryFn: () => api.get<{ data: SpendingRow[]; dollars: number }>("/spending", { from }),
    staleTime: 30_000,
  });
  return useMemo(() => spendingByWorkflow(data?.data ?? []), [data]);
}

const MAX_RUNS = 25;

/** The newest runs of workflows that have agents. */
export function useAgentRuns(workflowIds: readonly string[]) {
  const queries = useQueries({
    queries: workflowIds.map((workflowId) => ({
      queryKey: ["executions", "agent-runs", workflowId],
      queryFn: () => api.get<Paged<Execution>>("/executions", { workflowId, limit: MAX_RUNS }),
      refetchInterval: 5_000,
    })),
  });
  const rows = queries
    .flatMap((query) => query.data?.data ?? [])
    .sort((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt));
  return {
    rows: rows.slice(0, MAX_RUNS),
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
export function useRunCosts(rows: readonly Execution[]): ReadonlyMap<string, RunCost> {
  const over = rows
    .filter((row) => row.status !== "running" && row.status !== "waiting")
    .map((row) => String(row.id));
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
  return new Map(
    over.flatMap((id, at) => (queries[at]?.data ? [[id, queries[at].data] as const] : [])),
  );
}
