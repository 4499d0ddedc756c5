// What a step gave in one run and in the other, as lines of JSON with the differences marked.

import { useMemo, useState } from "react";
import { RunProblem } from "../../run/RunProblem";
import { useItems } from "../../run/runItems";
import { DiffView } from "../../shared/DiffView";
import { diffLines } from "../../shared/lineDiff";
import { ErrorState, Skeleton, Tabs } from "../../ui";
import css from "./Compare.module.css";
import { filledOutput, stepKind } from "./ComparePage";
import type { ComparedStep } from "./runDiff";

interface OutputDiffProps {
  step: ComparedStep;
  a: string;
  b: string;
}

export function OutputDiff({ step, a, b }: OutputDiffProps) {
  const [direction, setDirection] = useState<"output" | "input">("output");
  return (
    <section className={css.diff} aria-label={`Differences in ${step.node}`}>
      <header>
        <h2>{step.node}</h2>
        <Tabs
          label="Data"
          value={direction}
          onChange={(id) => setDirection(id as "output" | "input")}
          tabs={[
            { id: "output", label: "Output" },
            { id: "input", label: "Input" },
          ]}
        />
      </header>
      {step.a?.error && <RunProblem error={step.a.error} isCompact />}
      {step.b?.error && <RunProblem error={step.b.error} isCompact />}
      <Lines step={step} a={a} b={b} direction={direction} />
    </section>
  );
}

function Lines({ step, a, b, direction }: OutputDiffProps & { direction: "output" | "input" }) {
  const at = {
    node: step.node,
    run: step.runIndex,
    kind: stepKind(step),
    output: direction === "output" ? filledOutput(step) : 0,
    direction,
  };
  const first = useItems({ ...at, executionId: a, enabled: step.a !== undefined });
  const second = useItems({ ...at, executionId: b, enabled: step.b !== undefined });
  const lines = useMemo(
    () => diffLines(text(first.data?.items), text(second.data?.items)),
    [first.data, second.data],
  );
  const error = first.error ?? second.error;
  if (error) return <ErrorState error={error} />;
  if ((step.a && !first.data) || (step.b && !second.data)) return <Skeleton lines={6} />;
  if (lines.every((line) => line.kind === "same")) {
    return (
      <p className={css.quiet}>
        {lines.length === 0 ? "Neither execution has data here." : "The data is identical."}
      </p>
    );
  }
  const more = Math.max(first.data?.total ?? 0, second.data?.total ?? 0) - 50;
  return (
    <>
      <DiffView label={`Differences of ${step.node}`} lines={lines} />
      {more > 0 && (
        <p className={css.quiet}>Comparing the first 50 items. {more} more are not compared.</p>
      )}
    </>
  );
}

function text(items: readonly { json?: unknown; preview?: string }[] | undefined): string {
  if (!items || items.length === 0) return "";
  return JSON.stringify(
    items.map((item) => item.preview ?? item.json),
    null,
    2,
  );
}
