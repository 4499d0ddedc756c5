// Runs that stopped because a step may or may not have happened. A person looks at the service and decides.

import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { CircleCheck, SquareArrowOutUpRight, X } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { api } from "../../api/client";
import type { Execution, ListPage } from "../../api/types";
import { DecideButtons } from "../../run/DecideButtons";
import { remove, tellFailure } from "../../run/execution";
import type { Outline } from "../../run/outline";
import { Button, confirm, Empty, Problem, Skeleton, Time, toast } from "../../ui";
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
  const [isBusy, setBusy] = useState(false);
  const { data } = useQuery({ queryKey: ["outline", "told", id], queryFn: () => api.get<Outline>(`/executions/${id}/outline`) });
  const error = data?.error as { message?: string; node?: string; hint?: string } | undefined;
  const drop = async () => {
    const text = "The run ends here; its record is removed.";
    if (!(await confirm({ title: `Give execution ${id} up?`, text, action: "Give up", danger: true }))) return;
    setBusy(true);
    try {
      await remove(id);
      toast({ text: "Given up.", tone: "good" });
    } catch (failure) {
      tellFailure(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <li className={css.card}>
      <header>
        <b>{name}</b>
        <span className={css.quiet}>
          execution {id} · <Time at={row.startedAt} />
        </span>
      </header>
      <p>{error?.message ?? "A step was cut off and may have happened."}</p>
      {error?.hint && <p className={css.quiet}>{error.hint}</p>}
      <p className={css.quiet}>
        Look at the service that {error?.node ? <b>{error.node}</b> : "the step"} talks to. Did it happen?
      </p>
      <div className={css.buttons}>
        <DecideButtons id={id} onTaken={() => toast({ text: "The run goes on.", tone: "good" })} />
        <Button icon={X} busy={isBusy} onClick={() => void drop()}>
          Give the run up
        </Button>
        <Link href={addressOf(row)} className={css.open}>
          <SquareArrowOutUpRight size={14} aria-hidden /> Look at the run
        </Link>
      </div>
    </li>
  );
}
