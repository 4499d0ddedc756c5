// The rows of a timeline and the bars in them, on one scale of time.

import { Bot, Clock, Database, type LucideIcon, Wrench } from "lucide-react";
import type { CSSProperties, KeyboardEvent } from "react";
import { cx, duration, EmptyState } from "../ui";
import type { Bar, BarKind, Timeline, TimelineRow } from "./agentReport";
import type { TimelineSelection } from "./CallDetail";
import css from "./Timeline.module.css";

export const BAR_ICONS: Record<BarKind, LucideIcon> = {
  model: Bot,
  tool: Wrench,
  memory: Database,
  waiting: Clock,
};
const BAR_LABELS: Record<BarKind, string> = {
  model: "Model",
  tool: "Tool",
  memory: "Memory",
  waiting: "Waiting",
};
const LANE_HEIGHT = 24;

interface TimelineRowsProps {
  timeline: Timeline;
  chosen: TimelineSelection | null;
  onChoose: (choice: TimelineSelection) => void;
  isRunning: boolean;
}

export function TimelineRows({ timeline, chosen, onChoose, isRunning }: TimelineRowsProps) {
  if (timeline.rows.length === 0) {
    return isRunning ? (
      <p className={css.none}>No model response yet.</p>
    ) : (
      <EmptyState
        icon={Bot}
        title="Nothing recorded"
        text="This agent ended before its model responded."
      />
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys go from bar to bar, whichever has the focus.
    <div className={css.rows} onKeyDown={moveFocus}>
      <Scale totalMs={timeline.totalMs} />
      <ol aria-label="Iterations">
        {timeline.rows.map((row) => (
          <li key={row.id} className={css.row}>
            <span className={css.rowLabel}>{row.label}</span>
            <div className={css.lanes} style={{ height: row.lanes * LANE_HEIGHT }}>
              {row.bars.map((bar, index) => (
                <BarButton
                  key={index}
                  bar={bar}
                  row={row}
                  timeline={timeline}
                  chosen={chosen}
                  onChoose={onChoose}
                />
              ))}
            </div>
          </li>
        ))}
      </ol>
      <Legend />
    </div>
  );
}

interface BarButtonProps extends Omit<TimelineRowsProps, "isRunning"> {
  bar: Bar;
  row: TimelineRow;
}

function BarButton({ bar, row, timeline, chosen, onChoose }: BarButtonProps) {
  const Icon = BAR_ICONS[bar.kind];
  const at = (ms: number) => `${(ms / timeline.totalMs) * 100}%`;
  const style: CSSProperties = {
    left: at(bar.startMs - timeline.startMs),
    // Whatever took no time at all can still be seen and clicked; waiting must not cover what came after it.
    width: bar.kind === "waiting" ? at(bar.durationMs) : `max(22px, ${at(bar.durationMs)})`,
    top: bar.lane * LANE_HEIGHT + 2,
  };
  const words = `${BAR_LABELS[bar.kind]}: ${bar.label}, ${duration(bar.durationMs)}${bar.isError ? ", failed" : ""}`;
  if (!row.iteration || bar.kind === "waiting") {
    return (
      <span className={cx(css.bar, css[bar.kind])} style={style} title={words}>
        <Icon size={12} aria-label={words} />
      </span>
    );
  }
  const choice: TimelineSelection = { iteration: row.iteration.at, call: bar.call ?? null };
  const isChosen = chosen?.iteration === choice.iteration && chosen.call === choice.call;
  return (
    <button
      type="button"
      className={cx(css.bar, css[bar.kind], bar.isError && css.failed)}
      style={style}
      title={words}
      aria-label={words}
      aria-pressed={isChosen}
      onClick={() => onChoose(choice)}
    >
      <Icon size={12} aria-hidden />
      <span>{bar.label}</span>
      <span className={css.barTime}>{duration(bar.durationMs)}</span>
    </button>
  );
}

function Scale({ totalMs }: { totalMs: number }) {
  return (
    <div className={css.scale} aria-hidden>
      {[0, 0.25, 0.5, 0.75, 1].map((part) => (
        <span key={part} style={{ left: `${part * 100}%` }}>
          {part === 0 ? "0" : duration(totalMs * part)}
        </span>
      ))}
    </div>
  );
}

function Legend() {
  return (
    <p className={css.legend} aria-hidden>
      {(Object.keys(BAR_LABELS) as BarKind[]).map((kind) => {
        const Icon = BAR_ICONS[kind];
        return (
          <span key={kind}>
            <i className={css[kind]}>
              <Icon size={10} />
            </i>
            {BAR_LABELS[kind]}
          </span>
        );
      })}
    </p>
  );
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const bars = [...event.currentTarget.querySelectorAll("button")];
  const next = bars[bars.indexOf(document.activeElement as HTMLButtonElement) + step];
  if (!next) return;
  event.preventDefault();
  event.stopPropagation();
  next.focus();
  next.click();
}
