/** The data that comes to a node: from which of the nodes before, from which of their runs and outputs. */

import { Play, Unplug } from "lucide-react";
import { memo, useMemo, useState } from "react";
import { DataPane, PaneNote } from "../data/DataPane";
import type { DataSource } from "../data/dataSource";
import { fieldCode } from "../graph/template";
import { runToNode, useRunWatch } from "../runner/runControl";
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { Button, EmptyState, Select } from "../ui";
import type { NodeContext } from "./nodeContext";
import { feedingRun, fullestOutput, listNodeRuns, outputChoices, runSource } from "./nodeRuns";
import css from "./Panel.module.css";
import { UpstreamFields } from "./UpstreamFields";

interface InputColumnProps {
  node: string;
  around: NodeContext;
  /** The run of the node that the output column looks at. */
  ownRun: number | null;
}

/** Drawn anew only for its own sake: tables are large, and every key in a parameter changes the document. */
export const InputColumn = memo(function InputColumn({ node, around, ownRun }: InputColumnProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const from =
    chosen !== null && around.before.includes(chosen) ? chosen : (around.direct?.from ?? null);
  if (from === null) {
    return (
      <section className={css.column} aria-label="Input">
        <header className={css.columnHead}>
          <h2>Input</h2>
        </header>
        <EmptyState
          icon={Unplug}
          title="No input connected"
          text="Connect a previous node on the canvas to see its data here."
        />
      </section>
    );
  }
  const several = new Set(around.parents.map((edge) => edge.input)).size > 1;
  const hintOf = (name: string) => {
    const edge = around.parents.find((one) => one.from === name);
    if (!edge) return { hint: "upstream" };
    return several ? { hint: `input ${edge.input + 1}` } : {};
  };
  return (
    <section className={css.column} aria-label="Input">
      <header className={css.columnHead}>
        <h2>Input</h2>
        <div className={css.chooser}>
          <Select
            dense
            value={from}
            onChange={setChosen}
            options={around.before.map((name) => ({ value: name, label: name, ...hintOf(name) }))}
            label="Source node"
          />
        </div>
      </header>
      <NodeData key={from} node={node} from={from} around={around} ownRun={ownRun} />
    </section>
  );
});

function NodeData({ node, from, around, ownRun }: InputColumnProps & { from: string }) {
  const run = useEditor((state) => state.run);
  const pinned = useEditor((state) => state.workflow.pinData?.[from]);
  const ports = useCanvas((state) => state.ports.get(from));
  const isStarting = useRunWatch((state) => state.isStarting);
  const readOnly = useEditor((state) => state.readOnly);
  const [chosenRun, setChosenRun] = useState<number | null>(null);
  const [chosenOutput, setChosenOutput] = useState<number | null>(null);
  const runs = listNodeRuns(run, from).filter((one) => !one.served);
  const own = listNodeRuns(run, node).find((one) => one.runIndex === ownRun);
  const runIndex = chosenRun ?? feedingRun(own, from, runs);
  const shown = runs.find((one) => one.runIndex === runIndex) ?? runs.at(-1);
  const outputs = outputChoices(
    shown,
    (ports?.outputs ?? []).filter((port) => port.kind === "main"),
  );
  const edge = around.parents.find((one) => one.from === from);
  const fromEdge = outputs.findIndex(
    (output) => output.kind === "main" && output.index === edge?.output,
  );
  const at = chosenOutput ?? (fromEdge >= 0 ? fromEdge : fullestOutput(outputs));
  const output = outputs[at];
  const { kind, index, items } = output ?? {};
  const direct = around.direct?.from ?? null;
  const picking = useMemo(
    () =>
      readOnly
        ? null
        : {
            codeOf: (path: readonly (string | number)[]) => fieldCode({ node: from, path }, direct),
          },
    [readOnly, from, direct],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the choices are made anew each time; these parts of them count.
  const source = useMemo(
    (): DataSource | null =>
      pinned && !readOnly ? { kind: "pinned", items: pinned } : runSource(run, from, shown, output),
    [pinned, readOnly, run, from, shown, kind, index, items],
  );
  const below = useMemo(
    () => (readOnly ? null : <UpstreamFields except={from} />),
    [readOnly, from],
  );
  if (pinned && !readOnly && source) {
    return (
      <>
        <PaneNote tone="pinned">Pinned data from {from}</PaneNote>
        <DataPane
          source={source}
          picking={picking}
          storageKey="input"
          initialView="schema"
          label="Input"
          below={below}
        />
      </>
    );
  }
  if (!run || !shown || !output || !source) {
    return (
      <EmptyState
        icon={Play}
        title="No data yet"
        text={`Run ${from} to see its output. Then drag fields into the parameters.`}
        action={
          !readOnly && (
            <Button icon={Play} busy={isStarting} onClick={() => void runToNode(from)}>
              Run up to {from}
            </Button>
          )
        }
      />
    );
  }
  return (
    <>
      {(runs.length > 1 || outputs.length > 1) && (
        <div className={css.choices}>
          {outputs.length > 1 && (
            <Select
              dense
              value={String(at)}
              onChange={(next) => setChosenOutput(Number(next))}
              options={outputs.map((one, index) => ({
                value: String(index),
                label: one.label,
                hint: `${one.items} items`,
              }))}
              label="Output"
            />
          )}
          {runs.length > 1 && (
            <Select
              dense
              value={String(shown.runIndex)}
              onChange={(next) => setChosenRun(Number(next))}
              options={runs.map((one) => ({
                value: String(one.runIndex),
                label: `Run ${one.runIndex + 1} of ${runs.length}`,
              }))}
              label="Run"
            />
          )}
        </div>
      )}
      <DataPane
        key={`${run.executionId} ${shown.runIndex} ${at}`}
        source={source}
        picking={picking}
        storageKey="input"
        initialView="schema"
        label="Input"
        below={below}
      />
    </>
  );
}
