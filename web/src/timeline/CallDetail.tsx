// One bar of a timeline in full: the exact request and answer of a model, or the exact arguments and result of a tool.

import { ArrowLeft, CircleAlert, GitFork } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useCanEdit } from "../api/session";
import { urlPath } from "../api/url";
import { ApprovalCard } from "../run/ApprovalCard";
import { fromReport } from "../run/approval";
import { ForkDialog } from "../run/ForkDialog";
import { JsonBlock } from "../run/JsonBlock";
import { useItems } from "../run/runItems";
import { isOver, type RunView } from "../run/runView";
import { followRun } from "../runner/runControl";
import { useEditor } from "../store/editorStore";
import { Badge, Button, count, duration, ErrorState, Markdown, Money, Skeleton } from "../ui";
import type { AgentReport, Iteration, ToolCall } from "./agentReport";
import css from "./Timeline.module.css";
import { findModelRun } from "./useAgentReport";

/** Which part of a report is looked at: an iteration's model, or one of its tool calls. */
export interface TimelineSelection {
  /** The iteration's place in the report. */
  iteration: number;
  call: number | null;
}

interface CallDetailProps {
  report: AgentReport;
  choice: TimelineSelection;
  view: RunView;
  node: string;
  run: number;
  onBack: () => void;
}

export function CallDetail({ report, choice, view, node, run, onBack }: CallDetailProps) {
  const iteration = report.iterations[choice.iteration];
  const call = choice.call === null ? undefined : iteration?.toolCalls[choice.call];
  if (!iteration) return null;
  return (
    <article className={css.detail}>
      <Button size="small" kind="quiet" icon={ArrowLeft} onClick={onBack}>
        Answer
      </Button>
      {!call && <ForkHere view={view} node={node} iteration={iteration} />}
      {call ? (
        <ToolDetail call={call} iteration={iteration} view={view} node={node} />
      ) : (
        <ModelDetail iteration={iteration} view={view} node={node} run={run} />
      )}
    </article>
  );
}

/** Goes another way from this answer of the model on, with another model if one is named. */
function ForkHere({
  view,
  node,
  iteration,
}: {
  view: RunView;
  node: string;
  iteration: Iteration;
}) {
  const canEdit = useCanEdit();
  const [isOpen, setOpen] = useState(false);
  const [, go] = useLocation();
  const isShown = useEditor((state) => state.shown?.kind === "execution");
  if (!canEdit || !isOver(view)) return null;
  const from = {
    value: `${node}/item ${iteration.item}: model ${iteration.index}`,
    label: `${node}, iteration ${iteration.index}`,
  };
  const forked = (id: string) => {
    if (isShown) go(urlPath`/workflow/${view.workflowId}/executions/${id}`);
    else followRun(id, view.workflowId);
  };
  return (
    <>
      <span className={css.forkHere}>
        <Button size="small" kind="quiet" icon={GitFork} onClick={() => setOpen(true)}>
          Fork here
        </Button>
      </span>
      <ForkDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        view={view}
        from={from}
        onForked={forked}
      />
    </>
  );
}

interface ToolDetailProps {
  call: ToolCall;
  iteration: Iteration;
  view: RunView;
  node: string;
}

function ToolDetail({ call, iteration, view, node }: ToolDetailProps) {
  return (
    <>
      <header className={css.detailHead}>
        <h3>{call.name}</h3>
        {call.isError && <Badge tone="bad">Failed</Badge>}
        <span>
          iteration {iteration.index} · {duration(call.durationMs)}
        </span>
      </header>
      {call.approval ? (
        <>
          <h4>Approval</h4>
          <ApprovalCard asked={fromReport(call.approval, view.executionId, node, call)} />
          {call.approval.waitedMs !== null && (
            <p className={css.none}>Waited {duration(call.approval.waitedMs)}.</p>
          )}
        </>
      ) : (
        <>
          <h4>Arguments</h4>
          <JsonBlock value={call.arguments} label={`arguments of ${call.name}`} />
        </>
      )}
      <h4>Result</h4>
      {call.isError && (
        <p className={css.toolError}>
          <CircleAlert size={14} aria-hidden /> The error was returned to the model.
        </p>
      )}
      {"result" in call ? (
        <JsonBlock value={call.result} label={`result of ${call.name}`} />
      ) : (
        <p className={css.none}>No result yet.</p>
      )}
    </>
  );
}

function ModelDetail({
  iteration,
  view,
  node,
  run,
}: {
  iteration: Iteration;
  view: RunView;
  node: string;
  run: number;
}) {
  const { tokens } = iteration;
  return (
    <>
      <header className={css.detailHead}>
        <h3>{iteration.model || "Model"}</h3>
        <span>
          iteration {iteration.index} · {duration(iteration.durationMs)}
        </span>
      </header>
      <dl className={css.facts}>
        <Fact name="Input tokens" value={count(tokens.input)} />
        {tokens.cached > 0 && <Fact name="Cached" value={count(tokens.cached)} />}
        <Fact name="Output tokens" value={count(tokens.output)} />
        {tokens.reasoning > 0 && <Fact name="Reasoning" value={count(tokens.reasoning)} />}
        <div>
          <dt>Cost</dt>
          <dd>
            <Money dollars={iteration.dollars} />
          </dd>
        </div>
        {typeof iteration.confidence === "number" && (
          <Fact name="Confidence" value={iteration.confidence.toFixed(2)} />
        )}
        {iteration.action && <Fact name="Action" value={iteration.action} />}
      </dl>
      {iteration.message && (
        <>
          <h4>Message</h4>
          <div className={css.said}>
            <Markdown text={iteration.message} />
          </div>
        </>
      )}
      {iteration.toolCalls.length > 0 && (
        <>
          <h4>Tool calls</h4>
          <JsonBlock
            value={iteration.toolCalls.map(({ name, arguments: given }) => ({
              name,
              arguments: given,
            }))}
            label="tool calls"
          />
        </>
      )}
      <RecordedExchange view={view} node={node} run={run} iteration={iteration} />
    </>
  );
}

/** What went to the model and what came back, as the model's node has it on record. */
function RecordedExchange({
  view,
  node,
  run,
  iteration,
}: {
  view: RunView;
  node: string;
  run: number;
  iteration: Iteration;
}) {
  const place = findModelRun(view, node, run, iteration.at);
  const at = {
    executionId: view.executionId,
    node: place?.node ?? "",
    run: place?.run,
    kind: "ai_languageModel",
    limit: 1,
  };
  const request = useItems({ ...at, direction: "input", enabled: place !== null });
  const answer = useItems({ ...at, direction: "output", enabled: place !== null });
  if (!place) return null;
  return (
    <>
      <h4>Request</h4>
      <ExchangeItem query={request} label="request" />
      <h4>Response</h4>
      <ExchangeItem query={answer} label="response" />
    </>
  );
}

function ExchangeItem({ query, label }: { query: ReturnType<typeof useItems>; label: string }) {
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton lines={3} />;
  const item = query.data.items[0];
  if (!item) return <p className={css.none}>Not recorded.</p>;
  return <JsonBlock value={item.preview ?? item.json} label={label} />;
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
