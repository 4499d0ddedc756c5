/** Changes of cells, so that Ctrl+Z takes the last one back. */
import { useEffect, useRef } from "react";
import { toast, tryAction } from "../../ui";
import { type Cell, setCell } from "./tableApi";

interface CellChange {
  row: number;
  column: string;
  before: Cell;
}

/** Gives a way to change a cell that can be taken back for as long as the table stays open. */
export function useCellHistory(
  table: string,
): (row: number, column: string, before: Cell, value: Cell) => void {
  const changes = useRef<CellChange[]>([]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (
        event.key.toLowerCase() !== "z" ||
        !(event.ctrlKey || event.metaKey) ||
        event.shiftKey ||
        isTyping(event.target)
      )
        return;
      const last = changes.current.pop();
      if (!last) return;
      event.preventDefault();
      void tryAction(() => setCell(table, last.row, last.column, last.before)).then((done) => {
        if (done) toast({ text: `Reverted ${last.column} in row ${last.row}` });
      });
    };
    window.addEventListener("keydown", onKeyDown);
    return () => {
      window.removeEventListener("keydown", onKeyDown);
      changes.current = [];
    };
  }, [table]);
  return (row, column, before, value) => {
    void tryAction(() => setCell(table, row, column, value)).then((done) => {
      if (done) changes.current.push({ row, column, before });
    });
  };
}

/** In a field, Ctrl+Z belongs to what is being typed. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
