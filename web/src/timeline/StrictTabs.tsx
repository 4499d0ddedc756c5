// The strict agent in four tabs: its few settings, its tools, what it did, and what it did wrong.

import { Bug, CircleCheck, ListTree, Lock, Settings2, TriangleAlert, Wrench } from "lucide-react";
import { useState } from "react";
import { useEditor } from "../editor/store";
import { nodeOf, setParameter } from "../graph/document";
import { ErrorCode } from "../run/ErrorCode";
import { lastRun } from "../run/view";
import { Badge, Empty, Field, Input, NumberInput, Switch, Tabs } from "../ui";
import { Confidence } from "./Confidence";
import { type Choice, Detail } from "./Detail";
import { Rows } from "./Rows";
import { confidences, timelineOf } from "./report";
import css from "./StrictTabs.module.css";
import { faultsOf, type StrictTool, toolsOf, unknownNames } from "./strict";
import { useAgent, versionOf } from "./useAgent";

const LEAST = 1;
const MOST = 20;

export function StrictTabs({ node }: { node: string }) {
  const [tab, setTab] = useState("general");
  const run = useEditor((state) => state.run);
  const document = useEditor((state) => state.workflow);
  const last = lastRun(run, node);
  const query = useAgent({
    executionId: last && run ? run.executionId : null,
    node,
    run: last?.runIndex ?? 0,
    version: run ? versionOf(run, node, last?.runIndex ?? 0) : "",
  });
  const faults = faultsOf(query.data, last?.error);
  const tools = toolsOf(document, node);
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
        {tab === "tools" && <Tools tools={tools} missing={unknownNames(document, node)} />}
        {tab === "runtime" && <Runtime node={node} runIndex={last?.runIndex ?? 0} query={query} />}
        {tab === "errors" && <Errors faults={faults} hasRun={last !== undefined} />}
      </div>
    </div>
  );
}

function General({ node }: { node: string }) {
  const parameters = useEditor((state) => nodeOf(state.workflow, node)?.parameters ?? {});
  const change = useEditor((state) => state.change);
  const readOnly = useEditor((state) => state.readOnly);
  const set = (name: string, value: unknown) =>
    change(`Change ${name} of ${node}`, (document) => setParameter(document, node, name, value));
  const given = parameters.maxIterations;
  const iterations = typeof given === "number" ? given : 5;
  const isExpression = typeof given === "string";
  const isOutside = !isExpression && (iterations < LEAST || iterations > MOST || !Number.isInteger(iterations));
  return (
    <div className={css.form}>
      <Field label="Strategy" hint="This agent knows one way: think, act once, look at the result.">
        <span className={css.locked}>
          <Input value="ReAct" readOnly disabled />
          <Lock size={14} aria-label="Locked" role="img" />
        </span>
      </Field>
      <Field
        label="Max iterations"
        hint="Without a final answer by then the agent fails."
        error={isOutside ? `Choose a whole number from ${LEAST} to ${MOST}.` : undefined}
      >
        {isExpression ? (
          <Input value={given} readOnly disabled />
        ) : (
          <NumberInput
            value={iterations}
            min={LEAST}
            max={MOST}
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
          <span className={css.quiet}>Keeps the prompt and the last reply in the envelope.</span>
        </span>
        <Switch checked={parameters.debug === true} onChange={(is) => set("debug", is)} label="Debug" disabled={readOnly} />
      </div>
    </div>
  );
}

const SCHEMAS: Record<StrictTool["schema"], string> = {
  declared: "Schema declared",
  own: "Schema of its own",
  asked: "Schema from what it asks the model for",
  none: "No JSON schema",
};

function Tools({ tools, missing }: { tools: readonly StrictTool[]; missing: readonly string[] }) {
  const openNode = useEditor((state) => state.openNode);
  if (tools.length === 0 && missing.length === 0) {
    return <Empty icon={Wrench} title="No tool is connected" text="Connect at least one tool to the agent's Tools port." />;
  }
  return (
    <ul className={css.list}>
      {tools.map((tool) => (
        <li key={tool.node}>
          <div className={css.tool}>
            <button type="button" onClick={() => openNode(tool.node)}>
              {tool.node}
            </button>
            <code>{tool.name}</code>
            {!tool.isAllowed && <Badge>Not allowed</Badge>}
            <Badge tone={tool.schema === "none" ? "wait" : "good"}>{SCHEMAS[tool.schema]}</Badge>
          </div>
          {tool.schema === "none" && (
            <p className={css.warning}>
              <TriangleAlert size={14} aria-hidden />
              Its arguments cannot be checked. Switch on “Specify input schema” in the tool, or take its values with $fromAI.
            </p>
          )}
        </li>
      ))}
      {missing.map((name) => (
        <li key={name}>
          <p className={css.warning}>
            <TriangleAlert size={14} aria-hidden />“{name}” is allowed, but no tool of this name is connected.
          </p>
        </li>
      ))}
    </ul>
  );
}

function Runtime({ node, runIndex, query }: { node: string; runIndex: number; query: ReturnType<typeof useAgent> }) {
  const run = useEditor((state) => state.run);
  const [chosen, setChosen] = useState<Choice | null>(null);
  const report = query.data;
  if (!run || !report)
    return (
      <Empty
        icon={ListTree}
        title="It has not run yet"
        text="Run the step to see each iteration, its action and how sure the model was."
      />
    );
  const last = report.iterations.at(-1);
  const sure = confidences(report);
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
        {sure.length > 0 && <Confidence points={sure} />}
      </div>
      <Rows timeline={timelineOf(report)} chosen={chosen} onChoose={setChosen} isRunning={isRunning} />
      {chosen && <Detail report={report} choice={chosen} view={run} node={node} run={runIndex} onBack={() => setChosen(null)} />}
    </div>
  );
}

function Errors({ faults, hasRun }: { faults: ReturnType<typeof faultsOf>; hasRun: boolean }) {
  if (faults.length === 0) {
    const text = hasRun
      ? "Every reply kept to the contract."
      : "What breaks the agent's contract is listed here: invalid JSON, a tool that is not allowed, too many iterations.";
    return <Empty icon={CircleCheck} title="No errors" text={text} />;
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
