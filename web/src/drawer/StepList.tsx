// The tree of steps, which is walked with the arrow keys; only the rows in sight are drawn.

import { ChevronDown, ChevronRight, SquareArrowOutUpRight } from "lucide-react";
import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { StepStatusMark } from "../run/StepStatusMark";
import { useNow } from "../run/useNow";
import { Badge, count, cx, duration, IconButton } from "../ui";
import css from "./LogsTab.module.css";
import type { LogStep } from "./logTree";
import { visibleRows } from "./visibleRows";

const ROW_HEIGHT = 30;

interface StepListProps {
  steps: readonly LogStep[];
  folded: ReadonlySet<string>;
  chosen: string | undefined;
  onChoose: (step: LogStep) => void;
  onFold: (step: LogStep) => void;
  onOpen: (step: LogStep) => void;
}

export function StepList({ steps, folded, chosen, onChoose, onFold, onOpen }: StepListProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: 0, height: 600 });
  const [first, last] = visibleRows(sight.top, sight.height, ROW_HEIGHT, steps.length);
  const look = useCallback(() => {
    if (frame.current)
      setSight({ top: frame.current.scrollTop, height: frame.current.clientHeight });
  }, []);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(look);
    if (frame.current) observer.observe(frame.current);
    return () => observer.disconnect();
  }, [look]);
  useFollowTail(frame, steps.length);
  const place = steps.findIndex((step) => step.key === chosen);
  useEffect(() => {
    scrollToRow(frame.current, place);
  }, [place]);

  const onKeyDown = (event: KeyboardEvent) => {
    const at = steps.findIndex((step) => step.key === chosen);
    const step = steps[at];
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move) {
      const next = steps[Math.max(0, Math.min(steps.length - 1, at + move))];
      if (next) onChoose(next);
    } else if (event.key === "Enter" && step) onOpen(step);
    else if (event.key === "ArrowLeft" && step?.children.length && !folded.has(step.key))
      onFold(step);
    else if (event.key === "ArrowRight" && step && folded.has(step.key)) onFold(step);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      ref={frame}
      className={css.list}
      role="tree"
      aria-label="Steps"
      tabIndex={0}
      onScroll={look}
      onKeyDown={onKeyDown}
    >
      <div style={{ height: steps.length * ROW_HEIGHT, position: "relative" }}>
        {steps.slice(first, last).map((step, index) => (
          <Row
            key={step.key}
            step={step}
            top={(first + index) * ROW_HEIGHT}
            isFolded={folded.has(step.key)}
            isChosen={step.key === chosen}
            onChoose={onChoose}
            onFold={onFold}
            onOpen={onOpen}
          />
        ))}
      </div>
    </div>
  );
}

interface RowProps extends Pick<StepListProps, "onChoose" | "onFold" | "onOpen"> {
  step: LogStep;
  top: number;
  isFolded: boolean;
  isChosen: boolean;
}

function Row({ step, top, isFolded, isChosen, onChoose, onFold, onOpen }: RowProps) {
  const { node, run, depth, children, itemsIn, itemsOut, times } = step;
  const now = useNow(run.status === "running");
  const Arrow = isFolded ? ChevronRight : ChevronDown;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus.
    <div
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isChosen}
      aria-expanded={children.length > 0 ? !isFolded : undefined}
      aria-label={`${node}, ${run.status}`}
      className={cx(css.row, isChosen && css.chosen)}
      style={{ top, height: ROW_HEIGHT, paddingLeft: 8 + depth * 18 }}
      onClick={() => onChoose(step)}
      onDoubleClick={() => onOpen(step)}
    >
      {children.length > 0 ? (
        <button
          type="button"
          tabIndex={-1}
          className={css.fold}
          aria-label={isFolded ? "Expand" : "Collapse"}
          onClick={() => onFold(step)}
        >
          <Arrow size={13} aria-hidden />
        </button>
      ) : (
        <span className={css.fold} />
      )}
      <StepStatusMark status={run.status} />
      <span className={css.name}>{node}</span>
      {times > 1 && <span className={css.turn}>#{run.runIndex + 1}</span>}
      {run.served && (
        <span className={css.kind}>
          {KIND_LABELS[run.served.kind] ?? run.served.kind.replace(/^ai_/, "")}
        </span>
      )}
      {run.retries > 0 && <Badge tone="wait">{run.retries}× retried</Badge>}
      <span className={css.open}>
        <IconButton
          icon={SquareArrowOutUpRight}
          label={`Open ${node}`}
          size="small"
          tabIndex={-1}
          onClick={() => onOpen(step)}
        />
      </span>
      <span className={css.items}>{run.served ? "" : countLabel(itemsIn, itemsOut)}</span>
      <span className={css.time}>
        {run.status === "reused"
          ? ""
          : duration(run.status === "running" ? now - run.startedMs : run.durationMs)}
      </span>
    </div>
  );
}

const KIND_LABELS: Record<string, string> = {
  ai_languageModel: "model",
  ai_tool: "tool",
  ai_memory: "memory",
  ai_outputParser: "parser",
  ai_embedding: "embedding",
  ai_vectorStore: "store",
  ai_retriever: "retriever",
};

function countLabel(itemsIn: number | null, itemsOut: number): string {
  return itemsIn === null
    ? `${count(itemsOut)} out`
    : `${count(itemsIn)} in · ${count(itemsOut)} out`;
}

function scrollToRow(frame: HTMLElement | null, at: number): void {
  if (!frame || at < 0) return;
  const top = at * ROW_HEIGHT;
  if (top < frame.scrollTop) frame.scrollTop = top;
  else if (top + ROW_HEIGHT > frame.scrollTop + frame.clientHeight)
    frame.scrollTop = top + ROW_HEIGHT - frame.clientHeight;
}

/** Stays at the end while steps are added, unless somebody has scrolled away from it. */
function useFollowTail(frame: RefObject<HTMLDivElement | null>, n: number): void {
  const before = useRef(n);
  useEffect(() => {
    const element = frame.current;
    const grown = n - before.current;
    before.current = n;
    if (!element || grown <= 0) return;
    const wasAtEnd =
      element.scrollHeight - grown * ROW_HEIGHT - element.scrollTop - element.clientHeight <
      ROW_HEIGHT * 2;
    if (wasAtEnd) element.scrollTop = element.scrollHeight;
  }, [n, frame]);
}
