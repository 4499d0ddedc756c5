// What waits for a person: calls that agents ask about, and runs that a crash left in doubt.

import { useQuery } from "@tanstack/react-query";
import { api } from "../api/client";
import type { ApprovalList } from "../api/generated";
import type { Execution, ListPage } from "../api/types";

const EVERY_MS = 10_000;

/** Calls that agents ask about. */
export function useApprovals() {
  return useQuery({
    queryKey: ["approvals"],
    queryFn: () => api.get<ApprovalList>("/approvals", { limit: 100 }),
    refetchInterval: EVERY_MS,
  });
}

/** Runs that nobody can say the end of: they wait for a decision. */
export function useUncertain() {
  return useQuery({
    queryKey: ["executions", "uncertain"],
    queryFn: () => api.get<ListPage<Execution>>("/executions", { status: "uncertain", limit: 100 }),
    refetchInterval: EVERY_MS,
  });
}

/** How many of both there are. */
export function useUndecided(): number {
  const approvals = useApprovals();
  const uncertain = useUncertain();
  return (approvals.data?.data.length ?? 0) + (uncertain.data?.data.length ?? 0);
}
