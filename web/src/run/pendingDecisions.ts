// What waits for a person: calls that agents ask about, and runs that a crash left in doubt.

import { useQuery } from "@tanstack/react-query";
import { api } from "../api/client";
import type { ApprovalList } from "../api/generated";
import type { Execution, Paged } from "../api/types";

const POLL_MS = 10_000;

/** Calls that agents ask about. */
export function usePendingApprovals() {
  return useQuery({
    queryKey: ["approvals"],
    queryFn: () => api.get<ApprovalList>("/approvals", { limit: 100 }),
    refetchInterval: POLL_MS,
  });
}

/** Runs that nobody can say the end of: they wait for a decision. */
export function useUncertainRuns() {
  return useQuery({
    queryKey: ["executions", "uncertain"],
    queryFn: () => api.get<Paged<Execution>>("/executions", { status: "uncertain", limit: 100 }),
    refetchInterval: POLL_MS,
  });
}

/** How many of both there are. */
export function usePendingDecisionCount(): number {
  const approvals = usePendingApprovals();
  const uncertain = useUncertainRuns();
  return (approvals.data?.data.length ?? 0) + (uncertain.data?.data.length ?? 0);
}
