// Agents at work: which workflows have them and what they cost, their newest executions, what waits for an approval or
// a decision, and conversations.

import { Bot, CircleHelp, ListTree, MessagesSquare, ShieldCheck } from "lucide-react";
import { useSearchParams } from "wouter";
import { usePendingApprovals, useUncertainRuns } from "../../run/pendingDecisions";
import { AsyncContent, Page, Tabs } from "../../ui";
import { AgentList } from "./AgentList";
import { AgentRuns } from "./AgentRuns";
import { useAgents } from "./agentApi";
import { Conversations } from "./Conversations";
import { DecisionList } from "./DecisionList";
import { PendingApprovalList } from "./PendingApprovalList";

const TABS = ["agents", "runs", "approvals", "decisions", "conversations"];

export default function AgentsPage() {
  const [params, setParams] = useSearchParams();
  const wanted = params.get("tab") ?? "";
  const tab = TABS.includes(wanted) ? wanted : "agents";
  const { agents, error, refetch } = useAgents();
  const approvals = usePendingApprovals();
  const uncertain = useUncertainRuns();
  const nUncertain = uncertain.data?.data.length;
  return (
    <Page
      tabs={
        <Tabs
          label="Agents"
          value={tab}
          onChange={(id) => setParams(id === "agents" ? {} : { tab: id }, { replace: true })}
          tabs={[
            { id: "agents", label: "Agents", icon: Bot, count: agents?.length },
            { id: "runs", label: "Executions", icon: ListTree },
            {
              id: "approvals",
              label: "Approvals",
              icon: ShieldCheck,
              count: approvals.data?.data.length || undefined,
            },
            {
              id: "decisions",
              label: "Decisions",
              icon: CircleHelp,
              count: nUncertain || undefined,
            },
            { id: "conversations", label: "Conversations", icon: MessagesSquare },
          ]}
        />
      }
    >
      <AsyncContent query={{ data: agents, error, refetch }} lines={6}>
        {(agents) => (
          <div role="tabpanel">
            {tab === "agents" && <AgentList agents={agents} />}
            {tab === "runs" && <AgentRuns agents={agents} />}
            {tab === "approvals" && <PendingApprovalList query={approvals} />}
            {tab === "decisions" && <DecisionList query={uncertain} />}
            {tab === "conversations" && <Conversations agents={agents} />}
          </div>
        )}
      </AsyncContent>
    </Page>
  );
}
