// The strict agent in four tabs: its few settings, its tools, what it did, and what it did wrong.

import { Bug, CircleCheck, ListTree, Lock, Settings2, TriangleAlert, Wrench } from "lucide-react";
import { useState } from "react";
import { findNode, setParameter } from "../graph/document";
import { ErrorCode } from "../run/ErrorCode";
import { lastRun } from "../run/runView";
import { useEditor } from "../store/editorStore";
import { Badge, EmptyState, Field, Input, NumberInput, Skeleton, Switch, Tabs } from "../ui";
import { buildTimeline, listConfidences } from "./agentReport";
import { CallDetail, type TimelineSelection } from "./CallDetail";
import { ConfidenceSparkline } from "./ConfidenceSparkline";
import css from "./StrictAgentTabs.module.css";
import { listFaults, listTools, type StrictTool, unknownToolNames } from "./strictAgent";
import { TimelineRows } from "./TimelineRows";
import { agentRunVersion, useAgentReport } from "./useAgentReport";
import { useConnectedTools } from "./useConnectedTools";

const MIN_ITERATIONS = 1;
const MAX_ITERATIONS = 20;

export function StrictAgentTabs({ node }: { node: string }) {
  const [tab, setTab] = useState("general");
  const run = useEditor((state) => state.run);
  const allowed = useEditor((state) => findNode(state.workflow, node)?.parameters.allowedTools);
  const last = lastRun(run, node);
  const query = useAgentReport({
    executionId: last && run ? run.executionId : null,
    node,
    run: last?.runIndex ?? 0,
    version: run ? agentRunVersion(run, node, last?.runIndex ?? 0) : "",
  });
  const faults = listFaults(query.data, last?.error);
  const connected = useConnectedTools(node);
  const tools = listTools(connected.data ?? [], String(allowed ?? ""));
  return (
    <div className={css.tabs}>
      <Tabs
        label="Strict agent"
        value={tab}
        onChange={setTab}
        tabs={[
          { id: "general", label: "General", icon: Settings2 },
          { id: "tools", label: "Tools", icon: Wrench, count: tools.length },
          { id: "runtime", label: "Runtime", icon: ListTree },
          { id: "errors", label: "Errors", icon: Bug, count: faults.length || undefined },
        ]}
      />
      <div className={css.body} role="tabpanel">
        {tab === "general" && <General node={node} />}
        {tab === "tools" && connected.error && (
          <p className={css.warning}>{connected.error.message}</p>
        )}
        {tab === "tools" && !connected.error && (
          <Tools
            tools={tools}
            missing={connected.data ? unknownToolNames(tools, String(allowed ?? "")) : []}
            isLoading={connected.isPending}
          />
        )}
        {tab === "runtime" && <Runtime node={node} runIndex={last?.runIndex ?? 0} query={query} />}
        {tab === "errors" && <Errors faults={faults} hasRun={last !== undefined} />}
      </div>
    </div>
  );
}

function General({ node }: { node: string }) {
  const parameters = useEditor((state) => findNode(state.workflow, node)?.parameters ?? {});
  const change = useEditor((state) => state.change);
  const readOnly = useEditor((state) => state.readOnly);
  const set = (name: string, value: unknown) =>
    change(`Change ${name} of ${node}`, (document) => setParameter(document, node, name, value));
  const given = parameters.maxIterations;
  const iterations = typeof given === "number" ? given : 5;
  const isExpression = typeof given === "string";
  const isOutside =
    !isExpression &&
    (iterations < MIN_ITERATIONS || iterations > MAX_ITERATIONS || !Number.isInteger(iterations));
  return (
    <div className={css.form}>
      <Field
        label="Strategy"
        hint="This agent uses one strategy: think, take one action, observe the result."
      >
        <span className={css.locked}>
          <Input value="ReAct" readOnly disabled />
          <Lock size={14} aria-label="Locked" role="img" />
        </span>
      </Field>
      <Field
        label="Max iterations"
        hint="The agent fails if it has no final answer by then."
        error={
          isOutside ? `Enter an integer from ${MIN_ITERATIONS} to ${MAX_ITERATIONS}.` : undefined
        }
      >
        {isExpression ? (
          <Input value={given} readOnly disabled />
        ) : (
          <NumberInput
            value={iterations}
            min={MIN_ITERATIONS}
            max={MAX_ITERATIONS}
            disabled={readOnly}
            invalid={isOutside}
            onChange={(value) => value !== undefined && set("maxIterations", value)}
          />
        )}
      </Field>
      <div className={css.switch}>
        <span>
          <b>Debug</b>
          <br />
          <span className={css.quiet}>Includes the prompt and the last reply in the output.</span>
        </span>
        <Switch
          checked={parameters.debug === true}
          onChange={(is) => set("debug", is)}
          label="Debug"
          disabled={readOnly}
        />
      </div>
    </div>
  );
}

function Tools({
  tools,
  missing,
  isLoading,
}: {
  tools: readonly StrictTool[];
  missing: readonly string[];
  isLoading: boolean;
}) {
  const openNode = useEditor((state) => state.openNode);
  if (isLoading) return <Skeleton lines={3} />;
  if (tools.length === 0 && missing.length === 0) {
    return (
      <EmptyState
        icon={Wrench}
        title="No tools connected"
        text="Connect at least one tool to the agent's Tools port."
      />
    );
  }
  return (
    <ul className={css.list}>
      {tools.map((tool) => (
        <li key={`${tool.node} ${tool.name}`}>
          <div className={css.tool}>
            <button type="button" onClick={() => openNode(tool.node)}>
              {tool.node}
            </button>
            <code title={tool.description}>
              {tool.problem === undefined && `${tool.name}(${tool.arguments.join(", ")})`}
            </code>
            {!tool.isAllowed && <Badge>Not allowed</Badge>}
            {!tool.hasSchema && <Badge tone="wait">No JSON schema</Badge>}
          </div>
          {tool.problem !== undefined && (
            <p className={css.warning}>
              <TriangleAlert size={14} aria-hidden />
              Its tools are known only in a run: {tool.problem}
            </p>
          )}
          {!tool.hasSchema && (
            <p className={css.warning}>
              <TriangleAlert size={14} aria-hidden />
              Arguments cannot be validated. Enable “Specify input schema” in the tool, or use
              $fromAI for its values.
            </p>
          )}
        </li>
      ))}
      {missing.map((name) => (
        <li key={name}>
          <p className={css.warning}>
            <TriangleAlert size={14} aria-hidden />“{name}” is allowed, but no tool with this name
            is connected.
          </p>
        </li>
      ))}
    </ul>
  );
}

function Runtime({
  node,
  runIndex,
  query,
}: {
  node: string;
  runIndex: number;
  query: ReturnType<typeof useAgentReport>;
}) {
  const run = useEditor((state) => state.run);
  const [chosen, setChosen] = useState<TimelineSelection | null>(null);
  const report = query.data;
  if (!run || !report)
    return (
      <EmptyState
        icon={ListTree}
        title="Not run yet"
        text="Run the step to see each iteration with its action and confidence."
      />
    );
  const last = report.iterations.at(-1);
  const sure = listConfidences(report);
  const isRunning = lastRun(run, node)?.status === "running";
  return (
    <div className={css.runtime}>
      <div className={css.facts}>
        <span>
          <span className={css.quiet}>Last action</span>
          <br />
          {last ? (last.action ?? (last.toolCalls.length > 0 ? "tool" : "final")) : "–"}
          {last?.toolCalls[0] && <code> {last.toolCalls[0].name}</code>}
        </span>
        <span>
          <span className={css.quiet}>Iterations</span>
          <br />
          {report.iterations.length}
        </span>
        {sure.length > 0 && <ConfidenceSparkline points={sure} />}
      </div>
      <TimelineRows
        timeline={buildTimeline(report)}
        chosen={chosen}
        onChoose={setChosen}
        isRunning={isRunning}
      />
      {chosen && (
        <CallDetail
          report={report}
          choice={chosen}
          view={run}
          node={node}
          run={runIndex}
          onBack={() => setChosen(null)}
        />
      )}
    </div>
  );
}

function Errors({ faults, hasRun }: { faults: ReturnType<typeof listFaults>; hasRun: boolean }) {
  if (faults.length === 0) {
    const text = hasRun
      ? "All replies were valid."
      : "Contract violations appear here: invalid JSON, disallowed tools, too many iterations.";
    return <EmptyState icon={CircleCheck} title="No errors" text={text} />;
  }
  return (
    <ul className={css.list}>
      {faults.map((fault) => (
        <li key={`${fault.kind} ${fault.message}`} className={css.fault}>
          <p>
            <b>{fault.title}</b>
            {fault.iteration !== null && <Badge>Iteration {fault.iteration}</Badge>}
            <ErrorCode code={fault.code} />
          </p>
          <p>{fault.message}</p>
          {fault.hint && <p className={css.quiet}>{fault.hint}</p>}
        </li>
      ))}
    </ul>
  );
}
