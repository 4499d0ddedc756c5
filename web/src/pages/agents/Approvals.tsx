// Tool calls of agents that wait for somebody's yes or no, newest first.

import type { UseQueryResult } from "@tanstack/react-query";
import { ShieldCheck, SquareArrowOutUpRight } from "lucide-react";
import { Link } from "wouter";
import { urlPath } from "../../api/address";
import type { Approval, ApprovalList } from "../../api/generated";
import { ApprovalCard } from "../../run/ApprovalCard";
import { ofList } from "../../run/approval";
import { Empty, Problem, Skeleton, Time, toast } from "../../ui";
import css from "./Agents.module.css";

export function Approvals({ query }: { query: UseQueryResult<ApprovalList> }) {
  if (query.error) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton lines={4} />;
  if (query.data.data.length === 0) {
    return (
      <Empty
        icon={ShieldCheck}
        title="No agent asks for anything"
        text="An agent can ask before it uses its tools: set “Ask before tools run” among its options. Its calls then wait here with their exact arguments."
      />
    );
  }
  return (
    <ul className={css.cards} aria-label="Calls that wait for approval">
      {query.data.data.map((row) => (
        <One key={`${row.executionId} ${row.call}`} row={row} />
      ))}
    </ul>
  );
}

function One({ row }: { row: Approval }) {
  const name = row.workflowName ?? row.workflowId;
  return (
    <li className={css.card}>
      <header>
        <b>{name}</b>
        <span className={css.quiet}>
          execution {row.executionId} · asked <Time at={row.askedAt} />
        </span>
        <Link
          href={urlPath`/workflow/${row.workflowId}/executions/${row.executionId}`}
          className={css.open}
          aria-label={`Look at execution ${row.executionId} of ${name}`}
        >
          <SquareArrowOutUpRight size={14} aria-hidden /> Look at the run
        </Link>
      </header>
      <div className={css.asked}>
        <ApprovalCard asked={ofList(row)} onDecided={() => toast({ text: "Decided. The run goes on.", tone: "good" })} />
      </div>
    </li>
  );
}
