// Agents at work: which workflows have them and what they cost, their newest executions, what waits for an approval or
// a decision, and conversations.

import { Bot, CircleHelp, ListTree, MessagesSquare, ShieldCheck } from "lucide-react";
import { useSearchParams } from "wouter";
import { useApprovals, useUncertain } from "../../run/undecided";
import { Page, Problem, Skeleton, Tabs } from "../../ui";
import { AgentList } from "./AgentList";
import { AgentRuns } from "./AgentRuns";
import { Approvals } from "./Approvals";
import { Conversations } from "./Conversations";
import { Decisions } from "./Decisions";
import { useAgents } from "./data";

const TABS = ["agents", "runs", "approvals", "decisions", "conversations"];

export default function AgentsPage() {
  const [params, setParams] = useSearchParams();
  const wanted = params.get("tab") ?? "";
  const tab = TABS.includes(wanted) ? wanted : "agents";
  const { agents, error, refetch } = useAgents();
  const approvals = useApprovals();
  const uncertain = useUncertain();
  const nUncertain = uncertain.data?.data.length;
  return (
    <Page
      title="Agents"
      tabs={
        <Tabs
          label="Agents"
          value={tab}
          onChange={(id) => setParams(id === "agents" ? {} : { tab: id }, { replace: true })}
          tabs={[
            { id: "agents", label: "Agents", icon: Bot, count: agents?.length },
            { id: "runs", label: "Executions", icon: ListTree },
            { id: "approvals", label: "Approvals", icon: ShieldCheck, count: approvals.data?.data.length || undefined },
            { id: "decisions", label: "Decisions", icon: CircleHelp, count: nUncertain || undefined },
            { id: "conversations", label: "Conversations", icon: MessagesSquare },
          ]}
        />
      }
    >
      {error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : !agents ? (
        <Skeleton lines={6} />
      ) : (
        <div role="tabpanel">
          {tab === "agents" && <AgentList agents={agents} />}
          {tab === "runs" && <AgentRuns agents={agents} />}
          {tab === "approvals" && <Approvals query={approvals} />}
          {tab === "decisions" && <Decisions query={uncertain} />}
          {tab === "conversations" && <Conversations agents={agents} />}
        </div>
      )}
    </Page>
  );
}
