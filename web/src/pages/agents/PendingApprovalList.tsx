// Tool calls of agents that wait for somebody's yes or no, newest first.

import type { UseQueryResult } from "@tanstack/react-query";
import { ShieldCheck, SquareArrowOutUpRight } from "lucide-react";
import { Link } from "wouter";
import type { Approval, ApprovalList } from "../../api/generated";
import { urlPath } from "../../api/url";
import { ApprovalCard } from "../../run/ApprovalCard";
import { fromApprovalRow } from "../../run/approval";
import { AsyncContent, EmptyState, Time, toast } from "../../ui";
import css from "./Agents.module.css";

export function PendingApprovalList({ query }: { query: UseQueryResult<ApprovalList> }) {
  return (
    <AsyncContent query={query} lines={4}>
      {({ data: rows }) =>
        rows.length === 0 ? (
          <EmptyState
            icon={ShieldCheck}
            title="No pending approvals"
            text="Agents can ask before they use tools: set “Ask before tools run” in the agent's options. Calls then wait here with their exact arguments."
          />
        ) : (
          <ul className={css.cards} aria-label="Pending approvals">
            {rows.map((row) => (
              <ApprovalRow key={`${row.executionId} ${row.call}`} row={row} />
            ))}
          </ul>
        )
      }
    </AsyncContent>
  );
}

function ApprovalRow({ row }: { row: Approval }) {
  const name = row.workflowName ?? row.workflowId;
  return (
    <li className={css.card}>
      <header>
        <b>{name}</b>
        <span className={css.quiet}>
          {" "}
          Execution {row.executionId} · requested <Time at={row.askedAt} />
        </span>
        <Link
          href={urlPath`/workflow/${row.workflowId}/executions/${row.executionId}`}
          className={css.open}
          aria-label={`View execution ${row.executionId} of ${name}`}
        >
          <SquareArrowOutUpRight size={14} aria-hidden /> View execution
        </Link>
      </header>
      <div className={css.asked}>
        <ApprovalCard
          asked={fromApprovalRow(row)}
          onDecided={() =>
            toast({ text: "Decision recorded. The execution continues.", tone: "good" })
          }
        />
      </div>
    </li>
  );
}
