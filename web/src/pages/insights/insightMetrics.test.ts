/** The figures of the dashboard. */
import { describe, expect, it } from "vitest";
import {
  compactNumber,
  daysUntil,
  dollarsByDay,
  formatPercent,
  type Insights,
  listWorkflowMetrics,
  runsByDay,
  sortMetrics,
} from "./insightMetrics";

const insights: Insights = {
  runs: [],
  latency: [{ workflowId: "a", name: "A", p50: 10, p95: 90, runs: 3 }],
  models: [],
  workflows: [
    { workflowId: "a", name: "A", runs: 4, failed: 1, dollars: 0.5 },
    { workflowId: "b", name: "", runs: 0, failed: 0, dollars: 0 },
  ],
  totals: { runs: 4, failed: 1, p50Ms: 10, p95Ms: 90, tokens: 0, dollars: 0.5 },
};

describe("days", () => {
  it("are counted in UTC across the end of a month", () => {
    expect(daysUntil(new Date("2026-03-01T23:30:00Z"), 3)).toEqual([
      "2026-02-27",
      "2026-02-28",
      "2026-03-01",
    ]);
  });

  it("without runs are there with none", () => {
    const days = ["2026-01-01", "2026-01-02"];
    expect(runsByDay([{ day: "2026-01-02", ok: 2, failed: 1 }], days)).toEqual([
      { day: "2026-01-01", ok: 0, failed: 0 },
      { day: "2026-01-02", ok: 2, failed: 1 },
    ]);
  });

  it("add up what several models cost", () => {
    const row = (day: string, dollars: number) => ({
      day,
      dollars,
      workflowId: "a",
      model: "m",
      inputTokens: 0,
      cachedTokens: 0,
      outputTokens: 0,
    });
    expect(
      dollarsByDay(
        [row("2026-01-01", 1), row("2026-01-01", 2), row("2025-01-01", 9)],
        ["2026-01-01", "2026-01-02"],
      ),
    ).toEqual([3, 0]);
  });
});

describe("figures of workflows", () => {
  it("have their latency beside them, and their id where they have no name", () => {
    const rows = listWorkflowMetrics(insights);
    expect(rows[0]).toMatchObject({ failing: 0.25, p95: 90 });
    expect(rows[1]).toMatchObject({ name: "b", failing: 0, p50: null });
  });

  it("put what is not known last, both ways", () => {
    const rows = listWorkflowMetrics(insights);
    expect(sortMetrics(rows, "p95", true).map((row) => row.id)).toEqual(["a", "b"]);
    expect(sortMetrics(rows, "p95", false).map((row) => row.id)).toEqual(["a", "b"]);
    expect(sortMetrics(rows, "runs", false).map((row) => row.id)).toEqual(["b", "a"]);
  });
});

describe("numbers", () => {
  it("are written as they are read", () => {
    expect([formatPercent(0), formatPercent(0.004), formatPercent(0.371)]).toEqual([
      "0%",
      "< 1%",
      "37%",
    ]);
    expect([
      compactNumber(9999),
      compactNumber(12_300),
      compactNumber(345_678),
      compactNumber(2_500_000),
    ]).toEqual(["9,999", "12.3 k", "346 k", "2.5 M"]);
  });
});
