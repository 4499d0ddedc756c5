// How a step stands, by shape and colour, with its word for those who do not see them.

import { cx, markOf, Tooltip } from "../ui";
import css from "./StepMark.module.css";
import type { StepStatus } from "./view";

export function StepMark({ status }: { status: StepStatus }) {
  const { icon: Icon, word, tone } = markOf(status);
  return (
    <Tooltip text={word}>
      <span className={cx(css.mark, css[tone])} role="img" aria-label={word}>
        <Icon size={14} aria-hidden className={status === "running" ? css.turning : undefined} />
      </span>
    </Tooltip>
  );
}
