// What can be done with an execution: stop, remove, run again, go on after a doubt, go another way from a step.

import { useQuery } from "@tanstack/react-query";
import { api, queryClient } from "../api/client";
import type { ApprovalInput, ResumeInput } from "../api/generated";
import type { Execution } from "../api/types";
import { urlPath } from "../api/url";
import type { WorkflowDocument } from "../api/workflowDocument";
import type { ApprovalRequest } from "./approval";

export function useExecution(id: string | null | undefined) {
  return useQuery({
    queryKey: ["execution", id],
    queryFn: () => api.get<Execution>(urlPath`/executions/${id}`),
    enabled: Boolean(id),
  });
}

/** The workflow as it was when it ran. */
export function fetchExecutedWorkflow(id: string): Promise<WorkflowDocument> {
  return api.get<WorkflowDocument>(urlPath`/executions/${id}/document`);
}

/** Runs a failed execution again: as the workflow was then, or as it is now. */
export async function retryExecution(id: string, version: "same" | "newest"): Promise<Execution> {
  const taken = await api.post<Execution>(urlPath`/executions/${id}/retry`, {
    loadWorkflow: version === "newest",
  });
  refreshExecutions();
  return taken;
}

/** Takes what was done up to a step as done, and does the rest anew, with another model if one is named. */
export async function forkExecution(id: string, from: string, model?: string): Promise<Execution> {
  const taken = await api.post<Execution>(
    urlPath`/executions/${id}/fork`,
    model ? { from, model } : { from },
  );
  refreshExecutions();
  return taken;
}

/** Goes on with an uncertain run as somebody has decided. */
export async function resumeExecution(id: string, decision: ResumeInput): Promise<Execution> {
  const taken = await api.post<Execution>(urlPath`/executions/${id}/resume`, decision);
  refreshExecutions();
  return taken;
}

/** Says yes or no to a call of an agent, to exactly what was seen. */
export async function decideApproval(
  asked: ApprovalRequest,
  decision: ApprovalInput["decision"],
  reason = "",
): Promise<Execution> {
  const { call, digest } = asked;
  const input: ApprovalInput = {
    call,
    digest,
    decision,
    ...(reason.trim() && { reason: reason.trim() }),
  };
  const taken = await api.post<Execution>(urlPath`/executions/${asked.executionId}/approve`, input);
  refreshExecutions();
  void queryClient.invalidateQueries({ queryKey: ["approvals"] });
  return taken;
}

export async function stopExecution(id: string): Promise<void> {
  await api.post(urlPath`/executions/${id}/stop`);
  refreshExecutions();
}

export async function deleteExecution(id: string): Promise<void> {
  await api.delete(urlPath`/executions/${id}`);
  refreshExecutions();
}

function refreshExecutions(): void {
  void queryClient.invalidateQueries({ queryKey: ["executions"] });
  void queryClient.invalidateQueries({ queryKey: ["execution"] });
}
