// How the list of executions changes with what runs tell, without asking the server again for each. Pure.

import type { Execution, ExecutionStatus } from "../api/types";
import { type ExecutionFilters, matchesFilters } from "./executionFilters";
import type { RunEvent } from "./runView";

/** The rows after an event. The same list where nothing changes. */
export function applyEvent(
  rows: readonly Execution[],
  event: RunEvent,
  filters: ExecutionFilters,
  now: number,
): readonly Execution[] {
  if (event.type === "missed") return rows;
  const id = String(event.data.executionId ?? "");
  const known = rows.some((row) => String(row.id) === id);
  if (event.type === "executionStarted" && !known) {
    const begun: Execution = {
      id,
      workflowId: String(event.data.workflowId ?? ""),
      workflowName: event.data.workflowName,
      status: "running",
      mode: String(event.data.mode ?? ""),
      finished: false,
      startedAt: new Date(Number(event.data.startedMs ?? now)).toISOString(),
      stoppedAt: null,
      retryOf: null,
      retrySuccessId: null,
      parentExecutionId: null,
      waitsForExecutionId: null,
      waitTill: null,
      customData: {},
    };
    return matchesFilters(begun, filters, now) ? [begun, ...rows] : rows;
  }
  const change = known && toChange(event, now);
  return change ? rows.map((row) => (String(row.id) === id ? { ...row, ...change } : row)) : rows;
}

function toChange(event: RunEvent, now: number): Partial<Execution> | null {
  switch (event.type) {
    case "executionFinished": {
      const status = String(event.data.status ?? "error") as ExecutionStatus;
      if (status === "waiting") return { status };
      const error = status === "success" ? undefined : event.data.error?.message;
      return {
        ...(error ? { error } : {}),
        status,
        finished: status === "success",
        stoppedAt: new Date(Number(event.data.finishedMs ?? now)).toISOString(),
      };
    }
    case "executionWaiting":
      return { status: "waiting" };
    case "executionResumed":
    case "executionStarted":
      return { status: "running", stoppedAt: null };
    default:
      return null;
  }
}
