// Uncertain executions by the step they stopped at, so that many are decided at once, and what was decided and can be taken back.

import { CircleCheck, StepForward, Undo2 } from "lucide-react";
import type { UncertainStep } from "../../api/generated";
import { useCanEdit } from "../../api/session";
import { decideMany, takeBack, useUncertainSteps } from "../../run/decideMany";
import { useNow } from "../../run/useNow";
import { Button, plural, Time } from "../../ui";
import css from "./Agents.module.css";

/** Executions that began closer together show one time. */
const MIN_SPAN_MS = 60_000;

function isSpan({ firstStartedAt, lastStartedAt }: UncertainStep): boolean {
  return Date.parse(lastStartedAt) - Date.parse(firstStartedAt) >= MIN_SPAN_MS;
}

export function UncertainStepList() {
  const canEdit = useCanEdit();
  const { data } = useUncertainSteps();
  const batches = data?.batches ?? [];
  const now = useNow(batches.length > 0, 1000);
  const steps = data?.data.filter((step) => step.executions - step.decided > 1) ?? [];
  if (steps.length === 0 && batches.length === 0) return null;
  return (
    <ul className={css.cards} aria-label="Uncertain steps">
      {batches.map((batch) => (
        <li key={batch.batch} className={css.card}>
          <div className={css.row}>
            <span>
              {plural(batch.executions, "execution")} will continue in{" "}
              {Math.max(0, Math.ceil((Date.parse(batch.appliesAt) - now) / 1000))} s.
            </span>
            <Button size="small" icon={Undo2} onClick={() => void takeBack(batch.batch)}>
              Undo
            </Button>
          </div>
        </li>
      ))}
      {steps.map((step) => {
        const count = step.executions - step.decided;
        const about = {
          workflowId: step.workflowId,
          ...(step.node ? { node: step.node } : {}),
        };
        return (
          <li key={`${step.workflowId} ${step.node}`} className={css.card}>
            <header>
              <b>{step.workflowName ?? step.workflowId}</b>
              <span className={css.quiet}>
                {plural(count, "execution")} ·{" "}
                {isSpan(step) && (
                  <>
                    <Time at={step.firstStartedAt} /> –{" "}
                  </>
                )}
                <Time at={step.lastStartedAt} />
              </span>
            </header>
            <p>
              Heddle was interrupted while {step.node ? <b>{step.node}</b> : "a step"} was running.
              If repeating it does no harm, turn on “Safe to repeat” in the node's settings; later
              executions then continue without a decision.
            </p>
            {canEdit && (
              <div className={css.buttons}>
                <Button
                  size="small"
                  icon={StepForward}
                  onClick={() => void decideMany(count, { ...about, decision: "again" })}
                >
                  Repeat all {count}
                </Button>
                <Button
                  size="small"
                  icon={CircleCheck}
                  onClick={() => void decideMany(count, { ...about, decision: "done" })}
                >
                  Mark all {count} as completed
                </Button>
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
}
