// The steps of a run as a tree: when each began, what went in and came out, how long it took and what went wrong. The step that is
// chosen is told in full beside it.

import { Play, ScrollText } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { RunProblem } from "../run/RunProblem";
import { isOver } from "../run/runView";
import { startRun, useRunWatch } from "../runner/runControl";
import { useEditor } from "../store/editorStore";
import { Button, EmptyState, SplitPane } from "../ui";
import css from "./LogsTab.module.css";
import { type LogStep, logTree, visibleSteps } from "./logTree";
import { StepDetail } from "./StepDetail";
import { StepList } from "./StepList";

export function LogsTab() {
  const run = useEditor((state) => state.run);
  const openNode = useEditor((state) => state.openNode);
  const select = useEditor((state) => state.select);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<string | null>(null);
  const roots = useMemo(() => (run ? logTree(run) : []), [run]);
  const steps = useMemo(() => visibleSteps(roots, folded), [roots, folded]);
  const executionId = run?.executionId;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new run begins with nothing chosen.
  useEffect(() => {
    setChosen(null);
  }, [executionId]);
  // A run that failed shows what failed until something else is chosen.
  const failed =
    run?.status === "error" ? steps.findLast((step) => step.run.status === "error") : undefined;
  const current = steps.find((step) => step.key === chosen) ?? failed;

  if (!run || (steps.length === 0 && !run.error))
    return <NoSteps isRunning={run !== null && !isOver(run)} />;
  const choose = (step: LogStep) => {
    setChosen(step.key);
    select([step.node]);
  };
  const fold = (step: LogStep) => {
    const next = new Set(folded);
    if (!next.delete(step.key)) next.add(step.key);
    setFolded(next);
  };
  const list = (
    <div className={css.side}>
      {run.error && !current && (
        <div className={css.error}>
          <RunProblem error={run.error} onOpenNode={openNode} isCompact />
        </div>
      )}
      <StepList
        steps={steps}
        folded={folded}
        chosen={current?.key}
        onChoose={choose}
        onFold={fold}
        onOpen={(step) => openNode(step.node)}
      />
    </div>
  );
  return (
    <SplitPane
      direction="row"
      initial={-420}
      min={260}
      max={900}
      storageKey="logs"
      label="Detail width"
    >
      {[
        list,
        current ? (
          <StepDetail
            key={current.key}
            step={current}
            executionId={run.executionId}
            onOpen={() => openNode(current.node)}
          />
        ) : (
          <p key="none" className={css.none}>
            Select a step to see its data.
          </p>
        ),
      ]}
    </SplitPane>
  );
}

function NoSteps({ isRunning }: { isRunning: boolean }) {
  const isStarting = useRunWatch((state) => state.isStarting);
  const hasNodes = useEditor((state) => state.workflow.nodes.length > 0);
  if (isRunning) return <p className={css.none}>No steps started yet.</p>;
  return (
    <EmptyState
      icon={ScrollText}
      title="No execution yet"
      text={
        hasNodes
          ? "Run the workflow to see each step here as it runs."
          : "Add a trigger and a node, then run the workflow."
      }
      action={
        hasNodes && (
          <Button icon={Play} kind="primary" busy={isStarting} onClick={() => void startRun()}>
            Run workflow
          </Button>
        )
      }
    />
  );
}
