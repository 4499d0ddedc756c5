/** What a node gave: per run and output, with its error if it failed; data that is pinned stands in its place and can be edited. */

import { LoaderCircle, PencilLine, Pin, PinOff, Play, Route } from "lucide-react";
import { memo, useMemo, useState } from "react";
import type { WorkflowNode } from "../api/workflowDocument";
import { DataPane, PaneNote } from "../data/DataPane";
import type { DataSource } from "../data/dataSource";
import { unpinNode } from "../graph/document";
import { RunProblem } from "../run/RunProblem";
import type { NodeRunView } from "../run/runView";
import { StepStatusMark } from "../run/StepStatusMark";
import { useCanvas } from "../store/canvasStore";
import { useDrawer } from "../store/drawerStore";
import { useEditor } from "../store/editorStore";
import { Button, Duration, EmptyState, IconButton, Select, Tabs } from "../ui";
import { fullestOutput, listNodeRuns, outputChoices, runSource } from "./nodeRuns";
import css from "./Panel.module.css";
import { StepButton } from "./PanelHeader";
import { PinEditor } from "./PinEditor";
import { usePinning } from "./usePinning";

interface OutputColumnProps {
  node: WorkflowNode;
  /** The step that runs when the node is tested. */
  root: string;
  /** The run that is looked at; the last one if none was chosen. */
  chosenRun: number | null;
  onRun: (run: number) => void;
}

/** Drawn anew only for its own sake, like the input. */
export const OutputColumn = memo(function OutputColumn({
  node: { name },
  node,
  root,
  chosenRun,
  onRun,
}: OutputColumnProps) {
  const run = useEditor((state) => state.run);
  const pinned = useEditor((state) => state.workflow.pinData?.[name]);
  const readOnly = useEditor((state) => state.readOnly);
  const change = useEditor((state) => state.change);
  const ports = useCanvas((state) => state.ports.get(name));
  const [editing, setEditing] = useState(false);
  const runs = listNodeRuns(run, name);
  const shown = runs.find((one) => one.runIndex === chosenRun) ?? runs.at(-1);
  const puts = (ports?.outputs ?? []).some((port) => port.kind === "main");
  const showsPinned = pinned !== undefined && !readOnly;
  const pinnedSource = useMemo(
    (): DataSource => ({ kind: "pinned", items: pinned ?? [] }),
    [pinned],
  );
  return (
    <section className={css.column} aria-label="Output">
      <header className={css.columnHead}>
        <h2>Output</h2>
        {!showsPinned && shown && (
          <span className={css.state}>
            <StepStatusMark status={shown.status} />
            {shown.status !== "running" && <Duration ms={shown.durationMs} />}
          </span>
        )}
        <span className={css.space} />
        {!showsPinned && runs.length > 1 && (
          <div className={css.chooser}>
            <Select
              dense
              value={String(shown?.runIndex ?? 0)}
              onChange={(next) => onRun(Number(next))}
              options={runs.map((one) => ({
                value: String(one.runIndex),
                label: `Run ${one.runIndex + 1} of ${runs.length}`,
              }))}
              label="Run"
            />
          </div>
        )}
        {shown && shown.notes > 0 && (
          <IconButton
            icon={Route}
            label="Show agent timeline"
            size="small"
            onClick={() => showTimeline(name)}
          />
        )}
        {puts && !readOnly && (
          <IconButton
            icon={PencilLine}
            label="Edit output"
            size="small"
            onClick={() => setEditing(true)}
          />
        )}
      </header>
      {showsPinned ? (
        <>
          <PaneNote tone="pinned">
            <Pin size={13} aria-hidden />{" "}
            <span className={css.fill}>Pinned. This data is used instead of running the node.</span>
            <Button
              kind="quiet"
              size="small"
              icon={PinOff}
              onClick={() => change(`Unpin ${name}`, (document) => unpinNode(document, name))}
            >
              Unpin
            </Button>
          </PaneNote>
          <DataPane
            source={pinnedSource}
            picking={null}
            storageKey="output"
            initialView="table"
            label="Output"
          />
        </>
      ) : (
        <RunData
          key={`${run?.executionId} ${shown?.runIndex}`}
          node={node}
          root={root}
          shown={shown}
        />
      )}
      {editing && (
        <PinEditor node={name} onClose={() => setEditing(false)} run={shown?.runIndex ?? 0} />
      )}
    </section>
  );
});

/** The timeline stands under the canvas, so the panel makes way for it. */
function showTimeline(agent: string) {
  useEditor.getState().openNode(null);
  useDrawer.getState().showAgent(agent);
}

interface RunDataProps {
  node: WorkflowNode;
  root: string;
  shown: NodeRunView | undefined;
}

function RunData({ node, root, shown }: RunDataProps) {
  const run = useEditor((state) => state.run);
  const readOnly = useEditor((state) => state.readOnly);
  const ports = useCanvas((state) => state.ports.get(node.name));
  const pinning = usePinning(node.name);
  const isTrigger = ports?.shape === "trigger";
  const [chosen, setChosen] = useState<string | null>(null);
  const outputs = outputChoices(shown, shown?.served ? [] : (ports?.outputs ?? []));
  const key = (output: (typeof outputs)[number]) => `${output.kind} ${output.index}`;
  const output = outputs.find((one) => key(one) === chosen) ?? outputs[fullestOutput(outputs)];
  const { kind, index, items } = output ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: the choices are made anew each time; these parts of them count.
  const source = useMemo(
    () => runSource(run, node.name, shown, output),
    [run, node.name, shown, kind, index, items],
  );
  const runIndex = shown?.runIndex ?? 0;
  const { pin } = pinning;
  const actions = useMemo(
    () =>
      kind === "main" &&
      !readOnly && (
        <IconButton
          icon={Pin}
          label="Pin data"
          size="small"
          onClick={() => void pin(runIndex, index ?? 0)}
        />
      ),
    [kind, index, readOnly, runIndex, pin],
  );
  if (!run || !shown) {
    return (
      <EmptyState
        icon={Play}
        title="Not run yet"
        text={
          isTrigger
            ? "Run it to see its output, or click the pencil to enter data manually."
            : "Test this step to see its output. Unchanged results of previous nodes are reused."
        }
        action={!readOnly && <StepButton node={node} root={root} />}
      />
    );
  }
  if (shown.status === "running" || shown.status === "waiting") {
    const words = shown.status === "running" ? "This step is running" : "This step is waiting";
    return (
      <EmptyState
        icon={LoaderCircle}
        title={words}
        text="The output appears here when it finishes."
      />
    );
  }
  return (
    <>
      {shown.error && (
        <div className={css.failure}>
          <RunProblem error={shown.error} />
        </div>
      )}
      {shown.hints.map((hint) => (
        <PaneNote key={hint}>{hint}</PaneNote>
      ))}
      {outputs.length > 1 && output && (
        <Tabs
          className={css.outputs}
          value={key(output)}
          onChange={setChosen}
          tabs={outputs.map((one) => ({ id: key(one), label: one.label, count: one.items }))}
          label="Outputs"
        />
      )}
      {shown.lines.length > 0 && (
        <details className={css.lines}>
          <summary>Console ({shown.lines.length})</summary>
          <pre>{shown.lines.join("\n")}</pre>
        </details>
      )}
      {source && (!shown.error || (output?.items ?? 0) > 0) && (
        <DataPane
          key={output ? key(output) : ""}
          source={source}
          picking={null}
          storageKey="output"
          initialView="table"
          label="Output"
          actions={actions}
        />
      )}
    </>
  );
}
