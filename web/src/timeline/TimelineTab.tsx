// The timelines of the agents in a run: which agent, which of its runs, and then all it did.

import { Route } from "lucide-react";
import { useMemo, useState } from "react";
import { useDrawer } from "../store/drawerStore";
import { useEditor } from "../store/editorStore";
import { EmptyState, Select } from "../ui";
import { AgentTimeline } from "./AgentTimeline";
import css from "./Timeline.module.css";
import { listAgents } from "./useAgentReport";

export default function TimelineTab() {
  const run = useEditor((state) => state.run);
  const wanted = useDrawer((state) => state.agent);
  const showAgent = useDrawer((state) => state.showAgent);
  const [turn, setTurn] = useState<number | null>(null);
  const agents = useMemo(() => (run ? listAgents(run) : []), [run]);
  const agent = wanted && agents.includes(wanted) ? wanted : agents.at(-1);
  if (!run || !agent) {
    return (
      <EmptyState
        icon={Route}
        title="No agent runs"
        text="Run a workflow with an agent to see each model call, tool call and memory access as it happens."
      />
    );
  }
  const runs = run.nodes.get(agent)?.filter((one) => !one.served) ?? [];
  const chosen = runs.find((one) => one.runIndex === turn) ?? runs.at(-1);
  return (
    <AgentTimeline
      view={run}
      node={agent}
      run={chosen?.runIndex ?? 0}
      runPicker={
        (agents.length > 1 || runs.length > 1) && (
          <div className={css.choice}>
            {agents.length > 1 && (
              <Select
                dense
                label="Agent"
                value={agent}
                onChange={showAgent}
                options={agents.map((name) => ({ value: name, label: name }))}
              />
            )}
            {runs.length > 1 && (
              <Select
                dense
                label="Run"
                value={String(chosen?.runIndex ?? 0)}
                onChange={(value) => setTurn(Number(value))}
                options={runs.map((one) => ({
                  value: String(one.runIndex),
                  label: `Run ${one.runIndex + 1} of ${runs.length}`,
                }))}
              />
            )}
          </div>
        )
      }
    />
  );
}
