// The newest executions of workflows with agents, with what each cost.

import { ListTree } from "lucide-react";
import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import type { Execution } from "../../api/types";
import { List } from "../../shared/ListPage";
import layout from "../../shared/layout.module.css";
import { count, Duration, EmptyState, Money, StatusMark, Time } from "../../ui";
import { executionUrl } from "../executions/ExecutionsPage";
import css from "./Agents.module.css";
import { useAgentRuns, useRunCosts } from "./agentApi";
import type { AgentWorkflow } from "./agentWorkflows";

const COLUMNS = [
  { id: "status", label: "Status", width: "140px" },
  { id: "workflow", label: "Workflow" },
  { id: "models", label: "Models" },
  { id: "started", label: "Started" },
  { id: "duration", label: "Duration", align: "right" as const },
  { id: "tokens", label: "Tokens", align: "right" as const },
  { id: "cost", label: "Cost", align: "right" as const },
  { id: "id", label: "Execution", align: "right" as const },
];

export function AgentRuns({ agents }: { agents: readonly AgentWorkflow[] }) {
  const ids = useMemo(() => agents.map((agent) => agent.id), [agents]);
  const names = useMemo(() => new Map(agents.map((agent) => [agent.id, agent.name])), [agents]);
  const { rows, error, isPending, refetch } = useAgentRuns(ids);
  const costs = useRunCosts(rows);
  const [, go] = useLocation();
  // An error matters as long as there is nothing to show.
  const failure = rows.length === 0 ? error : null;
  const render = (row: Execution, column: string) => {
    const cost = costs.get(String(row.id));
    switch (column) {
      case "status":
        return <StatusMark status={row.status} />;
      case "workflow":
        return (
          <Link href={executionUrl(row)} className={layout.name}>
            {names.get(row.workflowId) ?? row.workflowId}
          </Link>
        );
      case "models":
        return cost && cost.models.length > 0 ? (
          <code className={css.model}>{cost.models.join(", ")}</code>
        ) : (
          <span className={css.quiet}>–</span>
        );
      case "started":
        return <Time at={row.startedAt} />;
      case "duration":
        return (
          <Duration
            ms={row.stoppedAt ? Date.parse(row.stoppedAt) - Date.parse(row.startedAt) : null}
          />
        );
      case "tokens":
        return cost ? count(cost.tokens) : "–";
      case "cost":
        return <Money dollars={cost?.dollars} />;
      default:
        return <span className={css.quiet}>{row.id}</span>;
    }
  };
  return (
    <List
      query={{ data: isPending || failure ? undefined : rows, error: failure, refetch }}
      lines={6}
      label="Agent executions"
      columns={COLUMNS}
      rowKey={(row) => String(row.id)}
      render={render}
      onOpen={(row) => go(executionUrl(row))}
      empty={
        <EmptyState
          icon={ListTree}
          title="No agent executions yet"
          text="Run a workflow with an agent to see its executions and their cost."
        />
      }
    />
  );
}
