// How a step stands, by shape and colour, with its word for those who do not see them.

import { cx, getStatusInfo, Tooltip } from "../ui";
import type { StepStatus } from "./runView";
import css from "./StepStatusMark.module.css";

export function StepStatusMark({ status }: { status: StepStatus }) {
  const { icon: Icon, label, tone } = getStatusInfo(status);
  return (
    <Tooltip text={label}>
      <span className={cx(css.mark, css[tone])} role="img" aria-label={label}>
        <Icon size={14} aria-hidden className={status === "running" ? css.turning : undefined} />
      </span>
    </Tooltip>
  );
}
