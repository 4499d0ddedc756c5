// The timeline of one run of an agent: a row for each iteration with bars for the model, tools, memory and waiting; what is chosen is
// told in full beside it, and below stands the answer with where it came from.

import { type ReactNode, useState } from "react";
import type { RunView } from "../run/runView";
import { Badge, count, duration, ErrorState, Money, Skeleton, SplitPane } from "../ui";
import { AnswerPanel } from "./AnswerPanel";
import { type AgentReport, buildTimeline, listConfidences, sumTotals } from "./agentReport";
import { CallDetail, type TimelineSelection } from "./CallDetail";
import { ConfidenceSparkline } from "./ConfidenceSparkline";
import { StageStrip } from "./StageStrip";
import css from "./Timeline.module.css";
import { TimelineRows } from "./TimelineRows";
import { agentRunVersion, useAgentReport } from "./useAgentReport";

interface AgentTimelineProps {
  view: RunView;
  node: string;
  run: number;
  /** Stands at the left of the summary: which agent, which run. */
  runPicker?: ReactNode;
}

export function AgentTimeline({ view, node, run, runPicker }: AgentTimelineProps) {
  const asked = {
    executionId: view.executionId,
    node,
    run,
    version: agentRunVersion(view, node, run),
  };
  const query = useAgentReport(asked);
  const [chosen, setChosen] = useState<TimelineSelection | null>(null);
  if (query.error && !query.data) {
    return (
      <div className={css.pad}>
        {runPicker}
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </div>
    );
  }
  if (!query.data)
    return <div className={css.pad}>{query.isLoading && <Skeleton lines={5} />}</div>;
  const report = query.data;
  const isRunning = view.nodes.get(node)?.find((one) => one.runIndex === run)?.status === "running";
  return (
    <div className={css.timeline}>
      <Summary report={report} choice={runPicker} isRunning={isRunning} />
      <StageStrip {...asked} />
      <SplitPane
        direction="row"
        initial={-460}
        min={280}
        max={1000}
        storageKey="timeline"
        label="Detail width"
      >
        {[
          <div key="rows" className={css.left}>
            <TimelineRows
              timeline={buildTimeline(report)}
              chosen={chosen}
              onChoose={setChosen}
              isRunning={isRunning}
            />
          </div>,
          <div key="detail" className={css.right}>
            {chosen ? (
              <CallDetail
                report={report}
                choice={chosen}
                view={view}
                node={node}
                run={run}
                onBack={() => setChosen(null)}
              />
            ) : (
              <AnswerPanel
                report={report}
                live={isRunning ? view.answers.get(node) : undefined}
                onChoose={setChosen}
              />
            )}
          </div>,
        ]}
      </SplitPane>
    </div>
  );
}

function Summary({
  report,
  choice,
  isRunning,
}: {
  report: AgentReport;
  choice?: ReactNode;
  isRunning: boolean;
}) {
  const totals = sumTotals(report);
  const { totalMs } = buildTimeline(report);
  const sure = listConfidences(report);
  return (
    <header className={css.summary}>
      {choice}
      <Fact label="Iterations" value={count(totals.iterations)} />
      <Fact
        label="Tool calls"
        value={
          totals.failedCalls > 0
            ? `${totals.toolCalls}, ${totals.failedCalls} failed`
            : count(totals.toolCalls)
        }
      />
      <Fact
        label="Input tokens"
        value={
          totals.cached > 0
            ? `${count(totals.input)} (${count(totals.cached)} cached)`
            : count(totals.input)
        }
      />
      <Fact label="Output tokens" value={count(totals.output)} />
      <Fact label="Cost" value={<Money dollars={totals.dollars} />} />
      <Fact label="Duration" value={report.iterations.length > 0 ? duration(totalMs) : "–"} />
      {sure.length > 0 && <ConfidenceSparkline points={sure} />}
      <span className={css.end}>
        {isRunning ? (
          <Badge tone="run">Running</Badge>
        ) : (
          report.finishReason && (
            <Badge tone={toneOf(report.finishReason)}>{humanize(report.finishReason)}</Badge>
          )
        )}
      </span>
    </header>
  );
}

function Fact({ label, value }: { label: string; value: ReactNode }) {
  return (
    <span className={css.fact}>
      <span className={css.factLabel}>{label}</span>
      <span className={css.factValue}>{value}</span>
    </span>
  );
}

function toneOf(reason: string): "good" | "wait" | "bad" {
  if (reason === "completed") return "good";
  return reason === "error" ? "bad" : "wait";
}

/** `max_iterations` in words. */
function humanize(reason: string): string {
  if (reason === "approval") return "Waiting for approval";
  const text = reason.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
