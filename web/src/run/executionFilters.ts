// The filters of the list of executions, as they stand in the address of the page. Pure.

import type { Query } from "../api/client";
import type { Execution } from "../api/types";

export interface ExecutionFilters {
  status?: string;
  workflow?: string;
  mode?: string;
  /** One of `SPANS`: began within this time before now. */
  since?: string;
}

export type FilterName = keyof ExecutionFilters;
export const FILTER_NAMES: readonly FilterName[] = ["status", "workflow", "mode", "since"];

export const STATUSES = [
  { value: "running", label: "Running" },
  { value: "success", label: "Succeeded" },
  { value: "error", label: "Failed" },
  { value: "waiting", label: "Waiting" },
  { value: "canceled", label: "Stopped" },
  { value: "uncertain", label: "Uncertain" },
];

export const MODES = [
  { value: "manual", label: "Manual" },
  { value: "webhook", label: "Webhook" },
  { value: "chat", label: "OpenAI API" },
  { value: "trigger", label: "Trigger" },
  { value: "integrated", label: "Sub-workflow" },
  { value: "error", label: "Error" },
  { value: "retry", label: "Retry" },
];

export const SPANS = [
  { value: "1h", label: "Last hour", ms: 3_600_000 },
  { value: "24h", label: "Last 24 hours", ms: 86_400_000 },
  { value: "7d", label: "Last 7 days", ms: 7 * 86_400_000 },
  { value: "30d", label: "Last 30 days", ms: 30 * 86_400_000 },
];

/** What the address asks for; values nobody could have chosen are left out. */
export function readFilters(params: URLSearchParams): ExecutionFilters {
  const among = (name: FilterName, options: readonly { value: string }[]) => {
    const value = params.get(name);
    return options.some((option) => option.value === value) ? (value ?? undefined) : undefined;
  };
  return {
    status: among("status", STATUSES),
    workflow: params.get("workflow") || undefined,
    mode: among("mode", MODES),
    since: among("since", SPANS),
  };
}

/** The address with one filter changed; `undefined` takes it away. */
export function withFilter(
  params: URLSearchParams,
  name: FilterName,
  value: string | undefined,
): URLSearchParams {
  const next = new URLSearchParams(params);
  if (value === undefined) next.delete(name);
  else next.set(name, value);
  return next;
}

/** What is asked of the server. The moment is rounded to a minute, so that the question stays the same while the page is open. */
export function toQuery(filters: ExecutionFilters, now: number): Query {
  const span = SPANS.find((one) => one.value === filters.since);
  const after = span
    ? new Date(Math.floor((now - span.ms) / 60_000) * 60_000).toISOString()
    : undefined;
  return {
    status: filters.status,
    workflowId: filters.workflow,
    mode: filters.mode,
    startedAfter: after,
  };
}

export function matchesFilters(
  row: Pick<Execution, "status" | "workflowId" | "mode" | "startedAt">,
  filters: ExecutionFilters,
  now: number,
): boolean {
  const span = SPANS.find((one) => one.value === filters.since);
  return (
    (!filters.status || row.status === filters.status) &&
    (!filters.workflow || row.workflowId === filters.workflow) &&
    (!filters.mode || row.mode === filters.mode) &&
    (!span || Date.parse(row.startedAt) >= now - span.ms)
  );
}

export function modeLabel(mode: string): string {
  return MODES.find((one) => one.value === mode)?.label ?? mode;
}
