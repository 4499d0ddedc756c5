// How a step stands, by shape and colour, with its word for those who do not see them.

import { Ban, CircleAlert, CircleCheck, Clock, LoaderCircle, type LucideIcon, Recycle } from "lucide-react";
import { cx, Tooltip } from "../ui";
import css from "./StepMark.module.css";
import type { StepStatus } from "./view";

const MARKS: Record<StepStatus, { icon: LucideIcon; word: string; tone: string }> = {
  success: { icon: CircleCheck, word: "Succeeded", tone: "good" },
  error: { icon: CircleAlert, word: "Failed", tone: "bad" },
  running: { icon: LoaderCircle, word: "Running", tone: "run" },
  waiting: { icon: Clock, word: "Waiting", tone: "wait" },
  canceled: { icon: Ban, word: "Stopped", tone: "none" },
  reused: { icon: Recycle, word: "Taken from an earlier run", tone: "none" },
};

export function StepMark({ status }: { status: StepStatus }) {
  const { icon: Icon, word, tone } = MARKS[status];
  return (
    <Tooltip text={word}>
      <span className={cx(css.mark, css[tone])} role="img" aria-label={word}>
        <Icon size={14} aria-hidden className={status === "running" ? css.turning : undefined} />
      </span>
    </Tooltip>
  );
}
