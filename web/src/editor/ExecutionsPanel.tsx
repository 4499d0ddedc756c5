/** The executions of the workflow beside the one that is shown: choosing another stays on the page. */

import { useMemo } from "react";
import { Link } from "wouter";
import { urlPath } from "../api/url";
import { useExecutions } from "../run/executionApi";
import { type ExecutionFilters, modeLabel } from "../run/executionFilters";
import { AsyncContent, Button, cx, duration, StatusMark, Time } from "../ui";
import css from "./ExecutionsPanel.module.css";

export function ExecutionsPanel({ workflow, shown }: { workflow: string; shown: string }) {
  const found = useExecutions(useMemo((): ExecutionFilters => ({ workflow }), [workflow]));
  const { rows, isSuccess, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = found;
  return (
    <aside className={css.panel} aria-label="Executions of this workflow">
      <header className={css.head}>
        <h2>Executions</h2>
        <Link href={urlPath`/executions?workflow=${workflow}`}>Filter</Link>
      </header>
      <AsyncContent
        query={{
          data: isSuccess ? rows : undefined,
          error: rows.length > 0 ? null : error,
          refetch,
        }}
        lines={8}
      >
        {(executions) => (
          <ul className={css.list}>
            {executions.map((row) => {
              const id = String(row.id);
              const isShown = id === shown;
              return (
                <li key={id}>
                  <Link
                    href={urlPath`/workflow/${workflow}/executions/${id}`}
                    className={cx(css.row, isShown && css.chosen)}
                    aria-current={isShown ? "page" : undefined}
                  >
                    <span className={css.line}>
                      <StatusMark status={row.status} />
                      <span className={css.id}>{id}</span>
                    </span>
                    <span className={css.about}>
                      <Time at={row.startedAt} />
                      {row.stoppedAt &&
                        ` · ${duration(Date.parse(row.stoppedAt) - Date.parse(row.startedAt))}`}
                      {` · ${row.retryOf ? `Retry of ${row.retryOf}` : modeLabel(row.mode)}`}
                    </span>
                    {row.error && row.status !== "success" && (
                      <span className={css.error} title={row.error}>
                        {row.error}
                      </span>
                    )}
                  </Link>
                </li>
              );
            })}
            {hasNextPage && (
              <li className={css.more}>
                <Button
                  size="small"
                  kind="quiet"
                  busy={isFetchingNextPage}
                  onClick={() => void fetchNextPage()}
                >
                  Show older
                </Button>
              </li>
            )}
          </ul>
        )}
      </AsyncContent>
    </aside>
  );
}
