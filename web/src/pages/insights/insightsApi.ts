/** Where the figures of the dashboard come from. */
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import type { DailySpending, Insights } from "./insightMetrics";

export const RANGES = [7, 14, 30, 90] as const;

export function useInsights(days: number, workflowId: string | null) {
  return useQuery({
    queryKey: ["insights", days, workflowId],
    queryFn: () => api.get<Insights>("/insights", { days, workflowId }),
    placeholderData: (before) => before,
    staleTime: 30_000,
  });
}

export function useModelSpending(from: string, to: string, workflowId: string | null) {
  return useQuery({
    queryKey: ["spending", from, to, workflowId],
    queryFn: () =>
      api.get<{ data: DailySpending[]; dollars: number }>("/spending", { from, to, workflowId }),
    placeholderData: (before) => before,
    staleTime: 30_000,
  });
}
