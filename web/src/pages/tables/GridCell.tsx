/** One cell of the grid: shown, or typed into. Enter and Tab keep what was typed, Escape does not. */
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { cx, toast } from "../../ui";
import { formatCell, parseCell } from "./cellValues";
import type { ColumnKind } from "./csv";
import styles from "./TableGrid.module.css";
import type { Cell } from "./tableApi";

interface Props {
  value: Cell | undefined;
  kind: ColumnKind;
  label: string;
  editing: boolean;
  /** It was being typed in until now, so it keeps the focus. */
  focused: boolean;
  readOnly: boolean;
  onEdit: () => void;
  /** Typing has ended; with a value if it is to be kept, and where to go on. */
  onDone: (value: Cell | undefined, next: CellMove) => void;
}

/** Where to go on: nowhere, to the cell itself, or to a neighbour. */
export type CellMove = "stay" | "here" | "right" | "left" | "down";

export function GridCell({
  value,
  kind,
  label,
  editing,
  focused,
  readOnly,
  onEdit,
  onDone,
}: Props) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (focused) button.current?.focus();
  }, [focused]);
  if (editing) return <CellEditor value={value} kind={kind} label={label} onDone={onDone} />;
  const text = formatCell(value, kind);
  const shown = text === "" ? <span className={styles.empty}>–</span> : text.slice(0, 300);
  const look = cx(styles.cell, kind === "number" && styles.number, kind === "date" && styles.date);
  const title = text.length > 40 ? text.slice(0, 1000) : undefined;
  if (readOnly) {
    return (
      <span className={look} title={title}>
        {shown}
      </span>
    );
  }
  if (kind === "boolean") {
    return (
      <button
        type="button"
        className={styles.cell}
        aria-label={`${label}: ${text || "empty"}`}
        onClick={() => onDone(value !== true, "stay")}
      >
        {shown}
      </button>
    );
  }
  return (
    <button
      ref={button}
      type="button"
      className={look}
      aria-label={`${label}: ${text || "empty"}`}
      onClick={onEdit}
      title={title}
    >
      {shown}
    </button>
  );
}

function CellEditor({
  value,
  kind,
  label,
  onDone,
}: Pick<Props, "value" | "kind" | "label" | "onDone">) {
  const before = formatCell(value, kind);
  const [text, setText] = useState(before);
  const input = useRef<HTMLTextAreaElement>(null);
  const finished = useRef(false);
  useEffect(() => {
    input.current?.select();
  }, []);
  const finish = (next: CellMove) => {
    if (finished.current) return;
    if (text === before) {
      finished.current = true;
      return onDone(undefined, next);
    }
    const read = parseCell(text, kind);
    if ("problem" in read) return toast({ text: read.problem, tone: "bad" });
    finished.current = true;
    onDone(read.value, next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      finished.current = true;
      onDone(undefined, "here");
    } else if (event.key === "Enter" && !event.shiftKey) finish("down");
    else if (event.key === "Tab") finish(event.shiftKey ? "left" : "right");
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <textarea
      ref={input}
      className={cx(styles.typing, kind === "number" && styles.number)}
      rows={Math.min(6, before.split("\n").length)}
      value={text}
      aria-label={label}
      autoFocus
      onChange={(event) => setText(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={() => finish("stay")}
    />
  );
}
