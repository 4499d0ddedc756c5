// Two parts beside or above each other with a bar between that can be moved by pointer and keys; where it stood is kept.
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import { cx } from "./cx";
import css from "./SplitPane.module.css";

interface SplitPaneProps {
  direction: "row" | "column";
  /** Size of the first part in pixels; negative: of the second. */
  initial: number;
  min?: number;
  max?: number;
  /** The largest share of the whole that the part with a size may have; a window may be smaller than the one it was sized in. */
  share?: number;
  storageKey: string;
  label?: string;
  children: [ReactNode, ReactNode];
}

const RESIZE_STEP = 24;

export function SplitPane({
  direction,
  initial,
  min = 120,
  max = 1200,
  share = 0.8,
  storageKey,
  label = "Resize",
  children,
}: SplitPaneProps) {
  const key = `heddle.split.${storageKey}`;
  const fixedIsFirst = initial >= 0;
  const [size, setSize] = useState(() => Number(localStorage.getItem(key)) || Math.abs(initial));
  const frame = useRef<HTMLDivElement>(null);
  const isRow = direction === "row";
  const change = (wanted: number) => {
    const whole = isRow ? frame.current?.clientWidth : frame.current?.clientHeight;
    const next = Math.round(Math.max(min, Math.min(max, (whole ?? max + min) - min, wanted)));
    setSize(next);
    localStorage.setItem(key, String(next));
  };
  const onPointerDown = (event: PointerEvent) => {
    event.preventDefault();
    const from = isRow ? event.clientX : event.clientY;
    const bar = event.currentTarget;
    bar.setPointerCapture(event.pointerId);
    const move = (next: Event) => {
      const at = isRow
        ? (next as unknown as PointerEvent).clientX
        : (next as unknown as PointerEvent).clientY;
      change(size + (at - from) * (fixedIsFirst ? 1 : -1));
    };
    const up = () => {
      bar.removeEventListener("pointermove", move);
      bar.removeEventListener("pointerup", up);
    };
    bar.addEventListener("pointermove", move);
    bar.addEventListener("pointerup", up);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = (
      isRow
        ? { ArrowRight: RESIZE_STEP, ArrowLeft: -RESIZE_STEP }
        : { ArrowDown: RESIZE_STEP, ArrowUp: -RESIZE_STEP }
    )[event.key as never];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    change(size + step * (fixedIsFirst ? 1 : -1));
  };
  const most = `${share * 100}%`;
  const fixed = { flex: `0 0 ${size}px`, ...(isRow ? { maxWidth: most } : { maxHeight: most }) };
  return (
    <div ref={frame} className={cx(css.split, !isRow && css.column)}>
      <div className={css.part} style={fixedIsFirst ? fixed : undefined}>
        {children[0]}
      </div>
      <div
        role="separator"
        tabIndex={0}
        aria-label={label}
        aria-orientation={isRow ? "vertical" : "horizontal"}
        aria-valuenow={size}
        aria-valuemin={min}
        aria-valuemax={max}
        className={css.bar}
        onPointerDown={onPointerDown}
        onKeyDown={onKeyDown}
      />
      <div className={css.part} style={fixedIsFirst ? undefined : fixed}>
        {children[1]}
      </div>
    </div>
  );
}
