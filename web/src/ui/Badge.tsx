// Small words on a coloured ground: states, tags, filters that can be taken away.
import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  Clock,
  LoaderCircle,
  type LucideIcon,
  Recycle,
  X,
} from "lucide-react";
import type { ReactNode } from "react";
import css from "./Badge.module.css";
import { cx } from "./cx";

export type Tone = "neutral" | "good" | "wait" | "bad" | "run" | "accent";

export function Badge({ tone = "neutral", children }: { tone?: Tone; children: ReactNode }) {
  return <span className={cx(css.badge, css[tone])}>{children}</span>;
}

interface ChipProps {
  label: ReactNode;
  onRemove?: () => void;
  onClick?: () => void;
  tone?: Tone;
  /** Said on the button that takes it away. */
  removeLabel?: string;
}

export function Chip({
  label,
  onRemove,
  onClick,
  tone = "neutral",
  removeLabel = "Remove",
}: ChipProps) {
  return (
    <span className={cx(css.chip, css[tone])}>
      {onClick ? (
        <button type="button" onClick={onClick}>
          {label}
        </button>
      ) : (
        label
      )}
      {onRemove && (
        <button type="button" className={css.remove} aria-label={removeLabel} onClick={onRemove}>
          <X size={12} aria-hidden />
        </button>
      )}
    </span>
  );
}

export interface StatusInfo {
  icon: LucideIcon;
  label: string;
  tone: Tone;
}

/** How anything that runs can stand: executions and their steps are marked alike. */
const STATUSES: Record<string, StatusInfo> = {
  success: { icon: CircleCheck, label: "Succeeded", tone: "good" },
  error: { icon: CircleAlert, label: "Failed", tone: "bad" },
  crashed: { icon: CircleAlert, label: "Crashed", tone: "bad" },
  running: { icon: LoaderCircle, label: "Running", tone: "run" },
  new: { icon: CircleDashed, label: "Queued", tone: "run" },
  waiting: { icon: Clock, label: "Waiting", tone: "wait" },
  canceled: { icon: Ban, label: "Stopped", tone: "neutral" },
  uncertain: { icon: CircleHelp, label: "Uncertain", tone: "wait" },
  reused: { icon: Recycle, label: "Reused from an earlier run", tone: "neutral" },
  unknown: { icon: CircleHelp, label: "Unknown", tone: "neutral" },
};

export function getStatusInfo(status: string): StatusInfo {
  return STATUSES[status] ?? { icon: CircleHelp, label: status, tone: "neutral" };
}

/** How an execution stands, by shape, colour and word. */
export function StatusMark({ status, word = true }: { status: string; word?: boolean }) {
  const known = getStatusInfo(status);
  return (
    <span className={cx(css.status, css[`ink-${known.tone}`])}>
      <known.icon
        size={15}
        aria-hidden
        className={status === "running" ? css.turning : undefined}
      />
      <span className={word ? undefined : "visually-hidden"}>{known.label}</span>
    </span>
  );
}
