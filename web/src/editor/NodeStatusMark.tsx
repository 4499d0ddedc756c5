/** The small sign on a node that says how it fared, or what is wrong with it before it ran. */
import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleHelp,
  Clock,
  History,
  LoaderCircle,
  type LucideIcon,
  TriangleAlert,
} from "lucide-react";
import { plural, Tooltip } from "../ui";
import css from "./NodeStatusMark.module.css";
import type { NodeState } from "./useNodeState";

const MARKS: Record<string, { icon: LucideIcon; words: string }> = {
  success: { icon: CircleCheck, words: "Succeeded" },
  error: { icon: CircleAlert, words: "Failed" },
  running: { icon: LoaderCircle, words: "Running" },
  waiting: { icon: Clock, words: "Waiting" },
  canceled: { icon: Ban, words: "Stopped" },
  uncertain: { icon: CircleHelp, words: "May have run" },
  reused: { icon: History, words: "Reused from an earlier run" },
};

export function NodeStatusMark({ name, state }: { name: string; state: NodeState }) {
  if (state.change) return <span className={css.word}>{state.change}</span>;
  return (
    <>
      <ProblemMark name={name} problems={state.problems} />
      <RunMark name={name} state={state} />
    </>
  );
}

function RunMark({ name, state: { status, runs } }: { name: string; state: NodeState }) {
  const mark = status && MARKS[status];
  if (!mark) return null;
  const failed = runs.findLast((run) => run.error);
  const words = failed?.error ? `${failed.error.message} (${failed.error.code})` : mark.words;
  const times = runs.length > 1 ? `, ${plural(runs.length, "run", "runs")}` : "";
  return (
    <Tooltip text={`${words}${times}`}>
      <span
        className={css.mark}
        data-tone={status}
        role="img"
        aria-label={`${name}: ${words}${times}`}
      >
        {runs.length > 1 && <span className={css.count}>{runs.length}</span>}
        <mark.icon size={14} aria-hidden />
      </span>
    </Tooltip>
  );
}

function ProblemMark({ name, problems }: { name: string; problems: NodeState["problems"] }) {
  const worst = problems[0];
  if (!worst) return null;
  const words = [worst.message, worst.hint].filter(Boolean).join(". ");
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return (
    <Tooltip text={words + more}>
      <span
        className={css.mark}
        data-tone={worst.severity}
        role="img"
        aria-label={`${name}: ${words}${more}`}
      >
        <TriangleAlert size={14} aria-hidden />
      </span>
    </Tooltip>
  );
}
