// Workflows with agents: their models and tools, and what they cost lately.

import { Bot } from "lucide-react";
import { Link, useLocation } from "wouter";
import { urlPath } from "../../api/url";
import { Badge, Button, count, EmptyState, Money, Table } from "../../ui";
import css from "./Agents.module.css";
import { SPENDING_DAYS, useAgentSpending } from "./agentApi";
import type { AgentWorkflow } from "./agentWorkflows";

const COLUMNS = [
  { id: "name", label: "Workflow" },
  { id: "agents", label: "Agents" },
  { id: "models", label: "Models" },
  { id: "tools", label: "Tools", align: "right" as const },
  { id: "calls", label: `Model calls (${SPENDING_DAYS} days)`, align: "right" as const },
  { id: "tokens", label: "Tokens", align: "right" as const },
  { id: "cost", label: "Cost", align: "right" as const },
];

export function AgentList({ agents }: { agents: readonly AgentWorkflow[] }) {
  const spent = useAgentSpending();
  const [, go] = useLocation();
  const render = (row: AgentWorkflow, column: string) => {
    const sum = spent.get(row.id);
    switch (column) {
      case "name":
        return (
          <span className={css.name}>
            <Link href={urlPath`/workflow/${row.id}`}>{row.name}</Link>
            {row.isActive && <Badge tone="good">Active</Badge>}
            {row.chat && <Badge tone="accent">Chat</Badge>}
          </span>
        );
      case "agents":
        return row.agents.join(", ");
      case "models":
        return row.models.length > 0 ? (
          <code className={css.model}>{row.models.join(", ")}</code>
        ) : (
          <span className={css.quiet}>None connected</span>
        );
      case "tools":
        return count(row.nTools);
      case "calls":
        return count(sum?.calls ?? 0);
      case "tokens":
        return count(sum?.tokens ?? 0);
      default:
        return <Money dollars={sum?.dollars ?? null} />;
    }
  };
  return (
    <Table
      label="Agents"
      columns={COLUMNS}
      rows={agents}
      rowKey={(row) => row.id}
      render={render}
      onOpen={(row) => go(urlPath`/workflow/${row.id}`)}
      empty={
        <EmptyState
          icon={Bot}
          title="No agents yet"
          text="An agent is a node with a model and optional tools and memory. Start from a template to try one."
          action={
            <Button kind="primary" onClick={() => go("/templates")}>
              Browse templates
            </Button>
          }
        />
      }
    />
  );
}
