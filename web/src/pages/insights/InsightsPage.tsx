/** What the instance does: executions, failures, how long they take, and what models cost. */

import { ChartNoAxesColumn } from "lucide-react";
import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { urlPath } from "../../api/address";
import { Button, Chip, count, cx, duration, Empty, money, Page, Problem, Select, Skeleton, Table } from "../../ui";
import layout from "../layout.module.css";
import { useWorkflows } from "../workflows/data";
import type { ChartSeries } from "./Chart";
import { RANGES, useInsights, useSpending } from "./data";
import {
  daysUntil,
  dollarsByDay,
  type FigureKey,
  type Insights,
  percent,
  runsByDay,
  short,
  sorted,
  type WorkflowFigures,
  workflowFigures,
} from "./figures";
import styles from "./Insights.module.css";
import { Models } from "./Models";

const Chart = lazy(() => import("./Chart"));

const COLUMNS = [
  { id: "name", label: "Workflow", sortable: true },
  { id: "runs", label: "Executions", align: "right" as const, width: "110px", sortable: true },
  { id: "failing", label: "Failed", align: "right" as const, width: "110px", sortable: true },
  { id: "p50", label: "Half take up to", align: "right" as const, width: "130px", sortable: true },
  { id: "p95", label: "95 % take up to", align: "right" as const, width: "130px", sortable: true },
  { id: "dollars", label: "Cost of models", align: "right" as const, width: "130px", sortable: true },
];

const asCount = (value: number) => short(value);

export default function InsightsPage() {
  const [query, setQuery] = useSearchParams();
  const asked = Number(query.get("days"));
  const days = (RANGES as readonly number[]).includes(asked) ? asked : 7;
  const workflow = query.get("workflow");
  const range = useMemo(() => daysUntil(new Date(), days), [days]);
  const insights = useInsights(days, workflow);
  const spending = useSpending(range[0] ?? "", range.at(-1) ?? "", workflow);
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
    (): ChartSeries[] => [{ label: "Cost", colour: "--accent", values: dollarsByDay(spending.data?.data ?? [], range) }],
    [spending.data, range],
  );
  return (
    <Page title="Insights" text="How workflows run, and what their models cost.">
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
          placeholder="Any workflow"
          options={(workflows.data ?? []).map((row) => ({ value: row.id, label: row.name }))}
          onChange={(id) => set("workflow", id)}
        />
        {workflow && <Chip label={name ?? workflow} onRemove={() => set("workflow", null)} removeLabel="Show all workflows" />}
      </div>
      {insights.isPending && <Skeleton lines={8} />}
      {insights.error && <Problem error={insights.error} onRetry={() => void insights.refetch()} />}
      {data && (
        <div className={cx(styles.board, insights.isPlaceholderData && styles.old)}>
          <Totals totals={data.totals} />
          <Card
            title="Executions per day"
            legend={[
              ["--good", "Succeeded"],
              ["--bad", "Failed"],
            ]}
          >
            <Suspense fallback={<div className={styles.chart} style={{ height: 200 }} />}>
              <Chart label={`Executions on each of the last ${days} days`} days={range} series={runs} format={asCount} />
            </Suspense>
          </Card>
          <Card title="Cost of models per day">
            {spending.error ? (
              <Problem error={spending.error} onRetry={() => void spending.refetch()} />
            ) : (
              <Suspense fallback={<div className={styles.chart} style={{ height: 200 }} />}>
                <Chart label={`Cost of models on each of the last ${days} days`} days={range} series={cost} format={money} />
              </Suspense>
            )}
          </Card>
          <Card title="Models" wide>
            <Models models={data.models} />
          </Card>
          <section className={styles.wide} aria-label="Workflows">
            <Workflows insights={data} />
          </section>
        </div>
      )}
    </Page>
  );
}

function atMost(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? "–" : duration(ms);
}

function Totals({ totals }: { totals: Insights["totals"] }) {
  const failing = totals.runs === 0 ? 0 : totals.failed / totals.runs;
  const figures: [string, string, string?][] = [
    ["Executions", short(totals.runs)],
    ["Failed", percent(failing), totals.failed > 0 ? `${count(totals.failed)} of ${count(totals.runs)}` : undefined],
    ["Half take up to", atMost(totals.p50Ms)],
    ["95 % take up to", atMost(totals.p95Ms)],
    ["Tokens", short(totals.tokens)],
    ["Cost of models", money(totals.dollars)],
  ];
  return (
    <dl className={styles.totals}>
      {figures.map(([label, value, more]) => (
        <div key={label} className={styles.total}>
          <dt>{label}</dt>
          <dd>
            {value} {more && <small>{more}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface CardProps {
  title: string;
  legend?: [string, string][];
  wide?: boolean;
  children: ReactNode;
}

function Card({ title, legend, wide, children }: CardProps) {
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

function Workflows({ insights }: { insights: Insights }) {
  const [sort, setSort] = useState<{ by: string; down: boolean }>({ by: "runs", down: true });
  const [, go] = useLocation();
  const rows = sorted(workflowFigures(insights), sort.by as FigureKey, sort.down);
  const render = (row: WorkflowFigures, column: string) => {
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
        return <span className={row.failed > 0 ? styles.bad : undefined}>{percent(row.failing)}</span>;
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
      label="Figures of each workflow"
      columns={COLUMNS}
      rows={rows}
      rowKey={(row) => row.id}
      render={render}
      sort={sort}
      onSort={(next) => setSort(next.by === sort.by ? next : { by: next.by, down: next.by !== "name" })}
      onOpen={(row) => go(urlPath`/executions?workflow=${row.id}`)}
      empty={
        <Empty
          icon={ChartNoAxesColumn}
          title="No executions in this time"
          text="Run a workflow, or let one listen: what it does shows up here."
          action={<Button onClick={() => go("/workflows")}>Open workflows</Button>}
        />
      }
    />
  );
}
