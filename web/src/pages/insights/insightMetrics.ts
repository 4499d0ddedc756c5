/** The figures of the dashboard: days without runs filled in, parts put together, and everything in an order worth reading. */

import type { Insights } from "../../api/generated";

export type { Insights } from "../../api/generated";
export interface DayRuns {
  day: string;
  ok: number;
  failed: number;
}

/** A row of `GET /spending`. */
export interface DailySpending {
  day: string;
  workflowId: string;
  model: string;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  dollars: number;
}

/** The days of a range, oldest first, ending today; days are counted in UTC as the server does. */
export function daysUntil(today: Date, days: number): string[] {
  return Array.from({ length: days }, (_, index) => {
    const date = new Date(
      Date.UTC(
        today.getUTCFullYear(),
        today.getUTCMonth(),
        today.getUTCDate() - (days - 1 - index),
      ),
    );
    return date.toISOString().slice(0, 10);
  });
}

/** Runs for each day of a range, also for those without any. */
export function runsByDay(runs: readonly DayRuns[], days: readonly string[]): DayRuns[] {
  const known = new Map(runs.map((row) => [row.day.slice(0, 10), row]));
  return days.map((day) => known.get(day) ?? { day, ok: 0, failed: 0 });
}

/** Dollars for each day of a range. */
export function dollarsByDay(
  spending: readonly DailySpending[],
  days: readonly string[],
): number[] {
  const sums = new Map<string, number>();
  for (const row of spending) sums.set(row.day, (sums.get(row.day) ?? 0) + row.dollars);
  return days.map((day) => sums.get(day) ?? 0);
}

export interface WorkflowMetrics {
  id: string;
  name: string;
  runs: number;
  failed: number;
  /** From 0 to 1. */
  failing: number;
  p50: number | null;
  p95: number | null;
  dollars: number;
}

export function listWorkflowMetrics(insights: Insights): WorkflowMetrics[] {
  const latency = new Map(insights.latency.map((row) => [row.workflowId, row]));
  return insights.workflows.map((row) => ({
    id: row.workflowId,
    name: row.name || row.workflowId,
    runs: row.runs,
    failed: row.failed,
    failing: row.runs === 0 ? 0 : row.failed / row.runs,
    p50: latency.get(row.workflowId)?.p50 ?? null,
    p95: latency.get(row.workflowId)?.p95 ?? null,
    dollars: row.dollars,
  }));
}

export type MetricKey = "name" | "runs" | "failing" | "p50" | "p95" | "dollars";

export function sortMetrics(
  rows: readonly WorkflowMetrics[],
  by: MetricKey,
  down: boolean,
): WorkflowMetrics[] {
  const turn = down ? -1 : 1;
  return [...rows].sort((one, other) => {
    if (by === "name") return turn * one.name.localeCompare(other.name);
    // What is not known stands last, whichever way it is sorted.
    const [first, second] = [one[by], other[by]];
    if (first === null || second === null) return first === second ? 0 : first === null ? 1 : -1;
    return turn * (first - second) || one.name.localeCompare(other.name);
  });
}

/** A share as people read it: `0%`, `< 1%`, `37%`. */
export function formatPercent(share: number): string {
  if (share <= 0) return "0%";
  if (share < 0.01) return "< 1%";
  return `${Math.round(share * 100)}%`;
}

/** A large count in few letters: 12,300 becomes 12.3 k. */
export function compactNumber(n: number): string {
  if (n < 10_000) return n.toLocaleString("en");
  if (n < 1_000_000) return `${(n / 1000).toFixed(n < 100_000 ? 1 : 0)} k`;
  return `${(n / 1_000_000).toFixed(n < 100_000_000 ? 1 : 0)} M`;
}
