// Runs that stopped because a step may or may not have happened. A person looks at the service and decides.

import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { CircleCheck, SquareArrowOutUpRight } from "lucide-react";
import { Link } from "wouter";
import { urlPath } from "../../api/address";
import { api } from "../../api/client";
import type { ExecutionOutline } from "../../api/generated";
import type { Execution, ListPage } from "../../api/types";
import { DecideButtons } from "../../run/DecideButtons";
import { fromOutline } from "../../run/outline";
import { doubted, quarantined } from "../../run/view";
import { Empty, Problem, Skeleton, Time, toast } from "../../ui";
import { useWorkflowNames } from "../executions/data";
import { addressOf } from "../executions/ExecutionsPage";
import css from "./Agents.module.css";

export function Decisions({ query }: { query: UseQueryResult<ListPage<Execution>> }) {
  const names = useWorkflowNames();
  if (query.error) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton lines={4} />;
  if (query.data.data.length === 0) {
    return (
      <Empty
        icon={CircleCheck}
        title="Nothing waits for you"
        text="When Heddle is stopped in the middle of a step that changes something elsewhere, the run waits here until somebody says whether it happened."
      />
    );
  }
  return (
    <ul className={css.cards}>
      {query.data.data.map((row) => (
        <Card key={String(row.id)} row={row} name={row.workflowName ?? names.get(row.workflowId) ?? row.workflowId} />
      ))}
    </ul>
  );
}

function Card({ row, name }: { row: Execution; name: string }) {
  const id = String(row.id);
  const { data } = useQuery({
    queryKey: ["outline", "doubted", id],
    queryFn: async () => {
      const view = fromOutline(await api.get<ExecutionOutline>(urlPath`/executions/${id}/outline`));
      return { node: doubted(view), reason: quarantined(view), events: view.events };
    },
  });
  return (
    <li className={css.card} aria-label={`${name}, execution ${id}`}>
      <header>
        <b>{name}</b>
        <span className={css.quiet}>
          execution {id} · <Time at={row.startedAt} />
        </span>
      </header>
      {data?.reason ? (
        <p>
          {data.reason}{" "}
          {data.node && (
            <>
              <b>{data.node}</b> may have happened.{" "}
            </>
          )}
          Look at what it does before you resume it.
        </p>
      ) : (
        <p>
          Heddle was cut off while {data?.node ? <b>{data.node}</b> : "a step"} was at work, so nobody knows whether it happened.
          Look at the service it talks to: did it?
        </p>
      )}
      <div className={css.buttons}>
        <DecideButtons
          id={id}
          events={data?.events}
          onTaken={() => toast({ text: "The run goes on.", tone: "good" })}
          onGivenUp={() => toast({ text: `Execution ${id} was given up. Its record is kept.` })}
        />
        <Link href={addressOf(row)} className={css.open}>
          <SquareArrowOutUpRight size={14} aria-hidden /> Look at the run
        </Link>
      </div>
    </li>
  );
}
