/** One cell of the grid: shown, or typed into. Enter and Tab keep what was typed, Escape does not. */
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { cx, toast } from "../../ui";
import { shownCell, typedCell } from "./cells";
import type { ColumnKind } from "./csv";
import type { Cell } from "./data";
import styles from "./Grid.module.css";

interface Props {
  value: Cell | undefined;
  kind: ColumnKind;
  label: string;
  editing: boolean;
  onEdit: () => void;
  /** Typing has ended; with a value if it is to be kept, and where to go on. */
  onDone: (value: Cell | undefined, next: "stay" | "right" | "left" | "down") => void;
}

export function GridCell({ value, kind, label, editing, onEdit, onDone }: Props) {
  if (editing) return <Typing value={value} kind={kind} label={label} onDone={onDone} />;
  const text = shownCell(value, kind);
  if (kind === "boolean") {
    return (
      <button
        type="button"
        className={styles.cell}
        aria-label={`${label}: ${text || "empty"}`}
        onClick={() => onDone(value !== true, "stay")}
      >
        {text === "" ? <span className={styles.empty}>–</span> : text}
      </button>
    );
  }
  return (
    <button
      type="button"
      className={cx(styles.cell, kind === "number" && styles.number)}
      aria-label={`${label}: ${text || "empty"}`}
      onClick={onEdit}
      title={text.length > 40 ? text.slice(0, 1000) : undefined}
    >
      {text === "" ? <span className={styles.empty}>–</span> : text.slice(0, 300)}
    </button>
  );
}

function Typing({ value, kind, label, onDone }: Pick<Props, "value" | "kind" | "label" | "onDone">) {
  const before = shownCell(value, kind);
  const [text, setText] = useState(before);
  const input = useRef<HTMLTextAreaElement>(null);
  const finished = useRef(false);
  useEffect(() => input.current?.select(), []);
  const finish = (next: "stay" | "right" | "left" | "down") => {
    if (finished.current) return;
    if (text === before) {
      finished.current = true;
      return onDone(undefined, next);
    }
    const read = typedCell(text, kind);
    if ("problem" in read) return toast({ text: read.problem, tone: "bad" });
    finished.current = true;
    onDone(read.value, next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      finished.current = true;
      onDone(undefined, "stay");
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
