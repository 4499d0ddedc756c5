// The steps of two runs beside each other.

import type { NodeRunView } from "../../run/runView";
import { StepStatusMark } from "../../run/StepStatusMark";
import { Badge, count, duration, Table, type Tone } from "../../ui";
import css from "./Compare.module.css";
import { stepKey } from "./ComparePage";
import type { ComparedStep, StepVerdict } from "./runDiff";

const COLUMNS = [
  { id: "node", label: "Step" },
  { id: "a", label: "First" },
  { id: "aItems", label: "Items", align: "right" as const },
  { id: "b", label: "Second" },
  { id: "bItems", label: "Items", align: "right" as const },
  { id: "verdict", label: "Outcome", width: "110px" },
];

const VERDICT_LABELS: Record<StepVerdict, { word: string; tone: Tone }> = {
  same: { word: "Same", tone: "neutral" },
  changed: { word: "Differs", tone: "wait" },
  "only-a": { word: "Only first", tone: "accent" },
  "only-b": { word: "Only second", tone: "accent" },
};

interface CompareStepsProps {
  steps: readonly ComparedStep[];
  chosen: string;
  onChoose: (key: string) => void;
}

export function CompareSteps({ steps, chosen, onChoose }: CompareStepsProps) {
  const render = (step: ComparedStep, column: string) => {
    switch (column) {
      case "node":
        return (
          <button
            type="button"
            className={css.step}
            aria-pressed={stepKey(step) === chosen}
            onClick={() => onChoose(stepKey(step))}
          >
            {step.node}
            {step.runIndex > 0 && <span className={css.quiet}> #{step.runIndex + 1}</span>}
          </button>
        );
      case "a":
        return <RunCell run={step.a} other={step.b} />;
      case "b":
        return <RunCell run={step.b} other={step.a} />;
      case "aItems":
        return items(step.a);
      case "bItems":
        return items(step.b);
      default:
        return (
          <Badge tone={VERDICT_LABELS[step.verdict].tone}>
            {VERDICT_LABELS[step.verdict].word}
          </Badge>
        );
    }
  };
  return (
    <Table
      label="Steps"
      columns={COLUMNS}
      rows={steps}
      rowKey={stepKey}
      render={render}
      onOpen={(step) => onChoose(stepKey(step))}
    />
  );
}

function RunCell({ run, other }: { run: NodeRunView | undefined; other: NodeRunView | undefined }) {
  if (!run) return <span className={css.quiet}>–</span>;
  // A quarter slower and noticeably so is worth a word; less is the machine's mood.
  const isSlower =
    other && run.durationMs > other.durationMs * 1.25 && run.durationMs - other.durationMs > 20;
  return (
    <span className={css.run}>
      <StepStatusMark status={run.status} />
      <span className={isSlower ? css.slower : undefined}>{duration(run.durationMs)}</span>
    </span>
  );
}

function items(run: NodeRunView | undefined): string {
  return run ? count(run.outputs.reduce((sum, output) => sum + output.items, 0)) : "–";
}
