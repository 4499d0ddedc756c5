// The stages of an agent's work in a row: those it came to, how often, and how long they took.

import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { Fragment } from "react";
import { api } from "../api/client";
import type { ExecutionTrace } from "../api/generated";
import { urlPath } from "../api/url";
import { recordedName } from "../run/recordedNames";
import { cx, duration } from "../ui";
import { summarizeStages } from "./stages";
import css from "./Timeline.module.css";
import type { AgentRunId } from "./useAgentReport";

export function StageStrip({ executionId, node, run, version }: AgentRunId) {
  const { data } = useQuery({
    queryKey: ["trace", executionId, version],
    queryFn: ({ signal }) =>
      api.get<ExecutionTrace>(urlPath`/executions/${executionId ?? ""}/trace`, {}, signal),
    enabled: Boolean(executionId && node),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const name = node && recordedName(executionId, node);
  const stages = data && name ? summarizeStages(data.events, name, run) : [];
  // Executions of earlier versions have no such record.
  if (!stages.some(({ count }) => count > 0)) return null;
  return (
    <ol className={css.stages} aria-label="Stages">
      {stages.map(({ stage, label, help, count, durationMs, isFailed }, at) => {
        const took = durationMs > 0 ? `, ${duration(durationMs)}` : "";
        const words = count === 0 ? `${help}: nothing to do` : `${help}: ${count}×${took}`;
        return (
          <Fragment key={stage}>
            {at > 0 && (
              <li aria-hidden className={css.stageGap}>
                <ChevronRight size={12} />
              </li>
            )}
            <li
              title={words}
              className={cx(css.stage, count === 0 && css.skipped, isFailed && css.stageFailed)}
            >
              {label}
              {count > 1 && <b>{count}</b>}
              <span className="visually-hidden">{`. ${words}`}</span>
            </li>
          </Fragment>
        );
      })}
    </ol>
  );
}
