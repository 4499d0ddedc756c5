// Runs that stopped because a step may or may not have happened. A person looks at the service and decides.

import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { CircleCheck, SquareArrowOutUpRight } from "lucide-react";
import { Link } from "wouter";
import { api } from "../../api/client";
import type { ExecutionOutline } from "../../api/generated";
import type { Execution, Paged } from "../../api/types";
import { urlPath } from "../../api/url";
import { DecisionButtons } from "../../run/DecisionButtons";
import { useWorkflowNames } from "../../run/executionApi";
import { fromOutline } from "../../run/outline";
import { quarantineReason, uncertainStep } from "../../run/runView";
import { AsyncContent, EmptyState, Time, toast } from "../../ui";
import { executionUrl } from "../executions/ExecutionsPage";
import css from "./Agents.module.css";
import { UncertainStepList } from "./UncertainStepList";

export function DecisionList({ query }: { query: UseQueryResult<Paged<Execution>> }) {
  const names = useWorkflowNames();
  return (
    <AsyncContent query={query} lines={4}>
      {({ data: rows }) =>
        rows.length === 0 ? (
          <EmptyState
            icon={CircleCheck}
            title="No pending decisions"
            text="If Heddle stops during a step with external side effects, the execution waits here until you confirm whether the step completed."
          />
        ) : (
          <div className={css.stack}>
            <UncertainStepList />
            <ul className={css.cards}>
              {rows.map((row) => (
                <DecisionCard
                  key={String(row.id)}
                  row={row}
                  name={row.workflowName ?? names.get(row.workflowId) ?? row.workflowId}
                />
              ))}
            </ul>
          </div>
        )
      }
    </AsyncContent>
  );
}

function DecisionCard({ row, name }: { row: Execution; name: string }) {
  const id = String(row.id);
  const { data } = useQuery({
    queryKey: ["outline", "doubted", id],
    queryFn: async () => {
      const view = fromOutline(await api.get<ExecutionOutline>(urlPath`/executions/${id}/outline`));
      return { node: uncertainStep(view), reason: quarantineReason(view), events: view.events };
    },
  });
  return (
    <li className={css.card} aria-label={`${name}, execution ${id}`}>
      <header>
        <b>{name}</b>
        <span className={css.quiet}>
          {" "}
          Execution {id} · <Time at={row.startedAt} />
        </span>
      </header>
      {data?.reason ? (
        <p>
          {data.reason}{" "}
          {data.node && (
            <>
              <b>{data.node}</b> may have completed.{" "}
            </>
          )}
          Check what it does before you resume it.
        </p>
      ) : (
        <p>
          Heddle was interrupted while {data?.node ? <b>{data.node}</b> : "a step"} was running.
          Check the service it calls: did the step complete?
        </p>
      )}
      <div className={css.buttons}>
        <DecisionButtons
          id={id}
          events={data?.events}
          onResumed={() => toast({ text: "Execution resumed.", tone: "good" })}
          onStopped={() => toast({ text: `Execution ${id} stopped. Its record is kept.` })}
        />
        <Link href={executionUrl(row)} className={css.open}>
          <SquareArrowOutUpRight size={14} aria-hidden /> View execution
        </Link>
      </div>
    </li>
  );
}
