// All executions, newest first, live: filtered by what stands in the address, and stopped, retried, deleted or compared in numbers.

import {
  RotateCcw,
  Square,
  SquareArrowOutUpRight,
  Trash2,
  Workflow as WorkflowIcon,
  Zap,
} from "lucide-react";
import { useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { useCanEdit } from "../../api/session";
import type { Execution } from "../../api/types";
import { urlPath } from "../../api/url";
import { deleteExecution, retryExecution, stopExecution } from "../../run/executionActions";
import { useExecutions, useWorkflowNames } from "../../run/executionApi";
import { modeLabel, readFilters } from "../../run/executionFilters";
import { useNow } from "../../run/useNow";
import { ListPage, ShowMore } from "../../shared/ListPage";
import {
  Button,
  confirm,
  duration,
  EmptyState,
  IconButton,
  NoMatches,
  StatusMark,
  Time,
  tryAction,
  useIsNarrow,
} from "../../ui";
import { ExecutionBulkBar } from "./ExecutionBulkBar";
import { ExecutionFilterBar } from "./ExecutionFilterBar";
import css from "./Executions.module.css";

const COLUMNS = [
  { id: "status", label: "Status", width: "140px" },
  { id: "workflow", label: "Workflow" },
  { id: "started", label: "Started", width: "140px" },
  { id: "duration", label: "Duration", align: "right" as const, width: "110px" },
  { id: "mode", label: "Trigger", width: "170px" },
  { id: "id", label: "Execution", align: "right" as const, width: "100px" },
];

/** On a tablet there is no room for what is rarely looked for. */
const TABLET = 1100;
const NARROW = COLUMNS.filter((column) => column.id !== "mode");

export default function ExecutionsPage() {
  const canEdit = useCanEdit();
  const [params] = useSearchParams();
  const text = params.toString();
  const filters = useFilters(text);
  const { rows, error, refetch, isSuccess, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useExecutions(filters);
  const names = useWorkflowNames();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [, go] = useLocation();
  const isNarrow = useIsNarrow(TABLET);
  const isAnyRunning = rows.some((row) => row.status === "running");
  const now = useNow(isAnyRunning, 500);
  const isFiltered = Object.values(filters).some(Boolean);
  const picked = rows.filter((row) => chosen.has(String(row.id)));

  const nameOf = (row: Execution) =>
    row.workflowName ?? names.get(row.workflowId) ?? row.workflowId;
  const render = (row: Execution, column: string) => {
    const id = String(row.id);
    switch (column) {
      case "status":
        return <StatusMark status={row.status} />;
      case "workflow":
        return (
          <span className={css.what}>
            <Link href={executionUrl(row)} className={css.name}>
              {nameOf(row)}
            </Link>
            {row.error && isFailed(row) && (
              <span className={css.error} title={row.error}>
                {row.error}
              </span>
            )}
          </span>
        );
      case "started":
        return (
          <span className={css.figure}>
            <Time at={row.startedAt} />
          </span>
        );
      case "duration":
        return <span className={css.figure}>{rowDuration(row, now)}</span>;
      case "mode":
        return (
          <span className={css.quiet}>
            {row.retryOf ? `Retry of ${row.retryOf}` : modeLabel(row.mode)}
          </span>
        );
      default:
        return <span className={css.quiet}>{id}</span>;
    }
  };

  return (
    <ListPage
      text="All executions with the data of each step, newest first."
      toolbar={
        picked.length > 0 ? (
          <ExecutionBulkBar
            picked={picked}
            total={rows.length}
            onAll={() => setChosen(new Set(rows.map((row) => String(row.id))))}
            onNone={() => setChosen(new Set())}
          />
        ) : (
          <ExecutionFilterBar filters={filters} names={names} />
        )
      }
      // An error matters as long as there is nothing to show.
      query={{
        data: rows.length > 0 || isSuccess ? rows : undefined,
        error: rows.length > 0 ? null : error,
        refetch,
      }}
      lines={8}
      label="Executions"
      columns={isNarrow ? NARROW : COLUMNS}
      rowKey={(row) => String(row.id)}
      render={render}
      onOpen={(row) => go(executionUrl(row))}
      selection={{ selected: chosen, onChange: setChosen, nameOf: (row) => `execution ${row.id}` }}
      rowActions={(row) => <Actions row={row} canEdit={canEdit} />}
      empty={
        isFiltered ? (
          <NoMatches
            text="No executions match these filters. Remove a filter or extend the time range."
            onClear={() => go("/executions")}
          />
        ) : (
          <NoExecutions />
        )
      }
    >
      {hasNextPage && (
        <ShowMore busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show older executions
        </ShowMore>
      )}
    </ListPage>
  );
}

/** The same object as long as the address is the same, so that nothing is asked twice. */
function useFilters(text: string) {
  const [kept, setKept] = useState(() => ({
    text,
    filters: readFilters(new URLSearchParams(text)),
  }));
  if (kept.text === text) return kept.filters;
  const next = { text, filters: readFilters(new URLSearchParams(text)) };
  setKept(next);
  return next.filters;
}

export function executionUrl(row: Execution): string {
  return urlPath`/workflow/${row.workflowId}/executions/${row.id}`;
}

function rowDuration(row: Execution, now: number): string {
  if (!row.stoppedAt)
    return row.status === "running" ? duration(Math.max(0, now - Date.parse(row.startedAt))) : "–";
  return duration(Date.parse(row.stoppedAt) - Date.parse(row.startedAt));
}

const isRunning = (row: Execution) => row.status === "running" || row.status === "waiting";
const isFailed = (row: Execution) =>
  row.status === "error" || row.status === "canceled" || row.status === "uncertain";

function Actions({ row, canEdit }: { row: Execution; canEdit: boolean }) {
  const [, go] = useLocation();
  const id = String(row.id);
  const again = async () => {
    const taken = await retryExecution(id, "same");
    go(urlPath`/workflow/${row.workflowId}/executions/${taken.id}`);
  };
  const drop = async () => {
    const text = "Its data and logs will be permanently deleted.";
    if (await confirm({ title: `Delete execution ${id}?`, text, action: "Delete", danger: true }))
      await deleteExecution(id);
  };
  return (
    <span className={css.actions}>
      {canEdit && isRunning(row) && (
        <IconButton
          icon={Square}
          label="Stop"
          size="small"
          onClick={() => void tryAction(() => stopExecution(id))}
        />
      )}
      {canEdit && isFailed(row) && (
        <IconButton
          icon={RotateCcw}
          label="Retry"
          size="small"
          onClick={() => void tryAction(again)}
        />
      )}
      <IconButton
        icon={SquareArrowOutUpRight}
        label="Open on canvas"
        size="small"
        onClick={() => go(executionUrl(row))}
      />
      {canEdit && !isRunning(row) && (
        <IconButton
          icon={Trash2}
          label="Delete"
          size="small"
          onClick={() => void tryAction(drop)}
        />
      )}
    </span>
  );
}

function NoExecutions() {
  return (
    <EmptyState
      icon={Zap}
      title="No executions yet"
      text="Every workflow run appears here with its data. Open, retry or compare executions."
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
