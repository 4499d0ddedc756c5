// All executions, newest first, live: filtered by what stands in the address, and stopped, retried, deleted or compared in numbers.

import { RotateCcw, Square, SquareArrowOutUpRight, Trash2, Workflow as WorkflowIcon, Zap } from "lucide-react";
import { useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { urlPath } from "../../api/address";
import { useMayChange } from "../../api/session";
import type { Execution } from "../../api/types";
import { remove, retry, stop } from "../../run/execution";
import { useNow } from "../../run/useNow";
import {
  attempt,
  Button,
  confirm,
  duration,
  Empty,
  IconButton,
  NothingFits,
  Page,
  Problem,
  Skeleton,
  StatusMark,
  Table,
  Time,
  useNarrow,
} from "../../ui";
import { BulkBar } from "./BulkBar";
import { useExecutions, useWorkflowNames } from "./data";
import css from "./Executions.module.css";
import { FilterBar } from "./FilterBar";
import { modeWord, readFilters } from "./filters";

const COLUMNS = [
  { id: "status", label: "Status", width: "140px" },
  { id: "workflow", label: "Workflow" },
  { id: "started", label: "Started", width: "140px" },
  { id: "duration", label: "Duration", align: "right" as const, width: "110px" },
  { id: "mode", label: "Started by", width: "170px" },
  { id: "id", label: "Execution", align: "right" as const, width: "100px" },
];

/** On a tablet there is no room for what is rarely looked for. */
const TABLET = 1100;
const NARROW = COLUMNS.filter((column) => column.id !== "mode");

export default function ExecutionsPage() {
  const mayChange = useMayChange();
  const [params] = useSearchParams();
  const text = params.toString();
  const filters = useFilters(text);
  const { rows, error, refetch, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useExecutions(filters);
  const names = useWorkflowNames();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [, go] = useLocation();
  const isNarrow = useNarrow(TABLET);
  const isAnyRunning = rows.some((row) => row.status === "running");
  const now = useNow(isAnyRunning, 500);
  const isFiltered = Object.values(filters).some(Boolean);
  const picked = rows.filter((row) => chosen.has(String(row.id)));

  const nameOf = (row: Execution) => row.workflowName ?? names.get(row.workflowId) ?? row.workflowId;
  const render = (row: Execution, column: string) => {
    const id = String(row.id);
    switch (column) {
      case "status":
        return <StatusMark status={row.status} />;
      case "workflow":
        return (
          <Link href={addressOf(row)} className={css.name}>
            {nameOf(row)}
          </Link>
        );
      case "started":
        return (
          <span className={css.figure}>
            <Time at={row.startedAt} />
          </span>
        );
      case "duration":
        return <span className={css.figure}>{lasted(row, now)}</span>;
      case "mode":
        return <span className={css.quiet}>{row.retryOf ? `Again, after ${row.retryOf}` : modeWord(row.mode)}</span>;
      default:
        return <span className={css.quiet}>{id}</span>;
    }
  };

  return (
    <Page title="Executions" text="Everything that ran, newest first, with the data of each step.">
      {picked.length > 0 ? (
        <BulkBar
          picked={picked}
          total={rows.length}
          onAll={() => setChosen(new Set(rows.map((row) => String(row.id))))}
          onNone={() => setChosen(new Set())}
        />
      ) : (
        <FilterBar filters={filters} names={names} />
      )}
      {error && rows.length === 0 ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : isPending ? (
        <Skeleton lines={8} />
      ) : (
        <Table
          label="Executions"
          columns={isNarrow ? NARROW : COLUMNS}
          rows={rows}
          rowKey={(row) => String(row.id)}
          render={render}
          onOpen={(row) => go(addressOf(row))}
          choice={{ chosen, onChange: setChosen, nameOf: (row) => `execution ${row.id}` }}
          actions={(row) => <Actions row={row} mayChange={mayChange} />}
          empty={
            isFiltered ? (
              <NothingFits
                text="No execution fits these filters. Take one away, or look at a longer time."
                onClear={() => go("/executions")}
              />
            ) : (
              <NothingYet />
            )
          }
        />
      )}
      {hasNextPage && (
        <div className={css.more}>
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older ones
          </Button>
        </div>
      )}
    </Page>
  );
}

/** The same object as long as the address is the same, so that nothing is asked twice. */
function useFilters(text: string) {
  const [kept, setKept] = useState(() => ({ text, filters: readFilters(new URLSearchParams(text)) }));
  if (kept.text === text) return kept.filters;
  const next = { text, filters: readFilters(new URLSearchParams(text)) };
  setKept(next);
  return next.filters;
}

export function addressOf(row: Execution): string {
  return urlPath`/workflow/${row.workflowId}/executions/${row.id}`;
}

function lasted(row: Execution, now: number): string {
  if (!row.stoppedAt) return row.status === "running" ? duration(Math.max(0, now - Date.parse(row.startedAt))) : "–";
  return duration(Date.parse(row.stoppedAt) - Date.parse(row.startedAt));
}

const isGoing = (row: Execution) => row.status === "running" || row.status === "waiting";
const isFailed = (row: Execution) => row.status === "error" || row.status === "canceled" || row.status === "uncertain";

function Actions({ row, mayChange }: { row: Execution; mayChange: boolean }) {
  const [, go] = useLocation();
  const id = String(row.id);
  const again = async () => {
    const taken = await retry(id, "same");
    go(urlPath`/workflow/${row.workflowId}/executions/${taken.id}`);
  };
  const drop = async () => {
    const text = "Its data and its log are gone for good.";
    if (await confirm({ title: `Delete execution ${id}?`, text, action: "Delete", danger: true })) await remove(id);
  };
  return (
    <span className={css.actions}>
      {mayChange && isGoing(row) && (
        <IconButton icon={Square} label="Stop" size="small" onClick={() => void attempt(() => stop(id))} />
      )}
      {mayChange && isFailed(row) && (
        <IconButton icon={RotateCcw} label="Run again" size="small" onClick={() => void attempt(again)} />
      )}
      <IconButton icon={SquareArrowOutUpRight} label="Open on the canvas" size="small" onClick={() => go(addressOf(row))} />
      {mayChange && !isGoing(row) && <IconButton icon={Trash2} label="Delete" size="small" onClick={() => void attempt(drop)} />}
    </span>
  );
}

function NothingYet() {
  return (
    <Empty
      icon={Zap}
      title="Nothing has run yet"
      text="Whenever a workflow runs, by hand or by its trigger, it is listed here with all its data, and can be opened, run again and compared."
      action={
        <Link href="/workflows">
          <Button icon={WorkflowIcon} kind="primary">
            Open workflows
          </Button>
        </Link>
      }
    />
  );
}
