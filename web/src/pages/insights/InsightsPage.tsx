/** What the instance does: executions, failures, how long they take, and what models cost. */

import { ChartNoAxesColumn } from "lucide-react";
import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { urlPath } from "../../api/url";
import { type Figure, Figures } from "../../shared/Figures";
import layout from "../../shared/layout.module.css";
import {
  AsyncContent,
  Button,
  Chip,
  count,
  cx,
  duration,
  EmptyState,
  ErrorState,
  money,
  Page,
  Select,
  Table,
} from "../../ui";
import { useWorkflows } from "../../workflows/workflowApi";
import type { ChartSeries } from "./Chart";
import styles from "./Insights.module.css";
import {
  compactNumber,
  daysUntil,
  dollarsByDay,
  formatPercent,
  type Insights,
  listWorkflowMetrics,
  type MetricKey,
  runsByDay,
  sortMetrics,
  type WorkflowMetrics,
} from "./insightMetrics";
import { RANGES, useInsights, useModelSpending } from "./insightsApi";
import { ModelTable } from "./ModelTable";

const Chart = lazy(() => import("./Chart"));

const COLUMNS = [
  { id: "name", label: "Workflow", sortable: true },
  { id: "runs", label: "Executions", align: "right" as const, width: "110px", sortable: true },
  { id: "failing", label: "Failed", align: "right" as const, width: "110px", sortable: true },
  { id: "p50", label: "Median duration", align: "right" as const, width: "130px", sortable: true },
  { id: "p95", label: "p95 duration", align: "right" as const, width: "130px", sortable: true },
  { id: "dollars", label: "Model cost", align: "right" as const, width: "130px", sortable: true },
];

const formatCount = (value: number) => compactNumber(value);

export default function InsightsPage() {
  const [query, setQuery] = useSearchParams();
  const asked = Number(query.get("days"));
  const days = (RANGES as readonly number[]).includes(asked) ? asked : 7;
  const workflow = query.get("workflow");
  const range = useMemo(() => daysUntil(new Date(), days), [days]);
  const insights = useInsights(days, workflow);
  const spending = useModelSpending(range[0] ?? "", range.at(-1) ?? "", workflow);
  const workflows = useWorkflows();
  const set = (name: string, value: string | null) =>
    setQuery((before) => {
      const next = new URLSearchParams(before);
      if (value) next.set(name, value);
      else next.delete(name);
      return next;
    });
  const name = workflows.data?.find((row) => row.id === workflow)?.name;
  const data = insights.data;
  const runs = useMemo((): ChartSeries[] => {
    const rows = runsByDay(data?.runs ?? [], range);
    return [
      { label: "Succeeded", colour: "--good", values: rows.map((row) => row.ok) },
      { label: "Failed", colour: "--bad", values: rows.map((row) => row.failed) },
    ];
  }, [data, range]);
  const cost = useMemo(
    (): ChartSeries[] => [
      { label: "Cost", colour: "--accent", values: dollarsByDay(spending.data?.data ?? [], range) },
    ],
    [spending.data, range],
  );
  return (
    <Page text="Workflow performance and model cost.">
      <div className={layout.toolbar}>
        <div className={styles.ranges} role="group" aria-label="Range">
          {RANGES.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === days}
              onClick={() => set("days", one === 7 ? null : String(one))}
            >
              {one} days
            </button>
          ))}
        </div>
        <Select
          className={layout.choice}
          label="Workflow"
          value={workflow ?? undefined}
          placeholder="All workflows"
          options={(workflows.data ?? []).map((row) => ({ value: row.id, label: row.name }))}
          onChange={(id) => set("workflow", id)}
        />
        {workflow && (
          <Chip
            label={name ?? workflow}
            onRemove={() => set("workflow", null)}
            removeLabel="Remove workflow filter"
          />
        )}
      </div>
      <AsyncContent query={insights} lines={8} />
      {data && (
        <div className={cx(styles.board, insights.isPlaceholderData && styles.old)}>
          <Totals totals={data.totals} />
          <ChartCard
            title="Executions per day"
            legend={[
              ["--good", "Succeeded"],
              ["--bad", "Failed"],
            ]}
          >
            <Suspense fallback={<div className={styles.chart} style={{ height: 200 }} />}>
              <Chart
                label={`Executions on each of the last ${days} days`}
                days={range}
                series={runs}
                format={formatCount}
              />
            </Suspense>
          </ChartCard>
          <ChartCard title="Model cost per day">
            {spending.error ? (
              <ErrorState error={spending.error} onRetry={() => void spending.refetch()} />
            ) : (
              <Suspense fallback={<div className={styles.chart} style={{ height: 200 }} />}>
                <Chart
                  label={`Model cost on each of the last ${days} days`}
                  days={range}
                  series={cost}
                  format={money}
                />
              </Suspense>
            )}
          </ChartCard>
          <ChartCard title="Models" wide>
            <ModelTable models={data.models} />
          </ChartCard>
          <section className={styles.wide} aria-label="Workflows">
            <WorkflowMetricsTable insights={data} />
          </section>
        </div>
      )}
    </Page>
  );
}

function formatDuration(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? "–" : duration(ms);
}

function Totals({ totals }: { totals: Insights["totals"] }) {
  const failing = totals.runs === 0 ? 0 : totals.failed / totals.runs;
  const figures: Figure[] = [
    ["Executions", compactNumber(totals.runs)],
    [
      "Failed",
      formatPercent(failing),
      totals.failed > 0 ? `${count(totals.failed)} of ${count(totals.runs)}` : undefined,
    ],
    ["Median duration", formatDuration(totals.p50Ms)],
    ["p95 duration", formatDuration(totals.p95Ms)],
    ["Tokens", compactNumber(totals.tokens)],
    ["Model cost", money(totals.dollars)],
  ];
  return <Figures label="Totals" figures={figures} />;
}

interface ChartCardProps {
  title: string;
  legend?: [string, string][];
  wide?: boolean;
  children: ReactNode;
}

function ChartCard({ title, legend, wide, children }: ChartCardProps) {
  return (
    <section className={cx(layout.card, wide && styles.wide)} aria-label={title}>
      <header className={styles.cardHead}>
        <h2>{title}</h2>
        {legend?.map(([colour, word]) => (
          <span key={word} className={styles.key}>
            <i style={{ background: `var(${colour})` }} /> {word}
          </span>
        ))}
      </header>
      {children}
    </section>
  );
}

function WorkflowMetricsTable({ insights }: { insights: Insights }) {
  const [sort, setSort] = useState<{ by: string; down: boolean }>({ by: "runs", down: true });
  const [, go] = useLocation();
  const rows = sortMetrics(listWorkflowMetrics(insights), sort.by as MetricKey, sort.down);
  const render = (row: WorkflowMetrics, column: string) => {
    switch (column) {
      case "name":
        return (
          <Link href={urlPath`/workflow/${row.id}`} className={layout.name}>
            {row.name}
          </Link>
        );
      case "runs":
        return count(row.runs);
      case "failing":
        return (
          <span className={row.failed > 0 ? styles.bad : undefined}>
            {formatPercent(row.failing)}
          </span>
        );
      case "dollars":
        return money(row.dollars);
      default: {
        const ms = column === "p50" ? row.p50 : row.p95;
        return ms === null ? "–" : duration(ms);
      }
    }
  };
  return (
    <Table
      label="Workflow metrics"
      columns={COLUMNS}
      rows={rows}
      rowKey={(row) => row.id}
      render={render}
      sort={sort}
      onSort={(next) =>
        setSort(next.by === sort.by ? next : { by: next.by, down: next.by !== "name" })
      }
      onOpen={(row) => go(urlPath`/executions?workflow=${row.id}`)}
      empty={
        <EmptyState
          icon={ChartNoAxesColumn}
          title="No executions in this period"
          text="Run or activate a workflow to see its metrics here."
          action={<Button onClick={() => go("/workflows")}>Open workflows</Button>}
        />
      }
    />
  );
}
