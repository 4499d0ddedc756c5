// A table of things: sorted by a click on a heading, opened by a click or Enter, with actions at the end of each row.
import { ArrowDown, ArrowUp } from "lucide-react";
import type { KeyboardEvent, MouseEvent, ReactNode } from "react";
import { cx } from "./cx";
import css from "./Table.module.css";

export interface Column {
  id: string;
  label: string;
  align?: "left" | "right";
  width?: string;
  sortable?: boolean;
  /** The heading is only for those who cannot see the column. */
  hideLabel?: boolean;
}

export interface Sort {
  by: string;
  down: boolean;
}

interface TableProps<Row> {
  columns: readonly Column[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  render: (row: Row, column: string) => ReactNode;
  onOpen?: (row: Row) => void;
  actions?: (row: Row) => ReactNode;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  empty?: ReactNode;
  label?: string;
}

export function Table<Row>({ columns, rows, rowKey, render, onOpen, actions, sort, onSort, empty, label }: TableProps<Row>) {
  if (rows.length === 0 && empty) return empty;
  const open = (event: MouseEvent | KeyboardEvent, row: Row) => {
    const target = event.target as HTMLElement;
    if (onOpen && (target === event.currentTarget || !target.closest("button, a, input, label, [role=menuitem]"))) onOpen(row);
  };
  return (
    <div className={css.frame}>
      <table className={css.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
            {actions && (
              <th className={css.actions}>
                <span className="visually-hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              className={onOpen && css.opens}
              tabIndex={onOpen ? 0 : undefined}
              onClick={(event) => open(event, row)}
              onKeyDown={(event) => event.key === "Enter" && open(event, row)}
            >
              {columns.map((column) => (
                <td key={column.id} className={column.align === "right" ? css.right : undefined}>
                  {render(row, column.id)}
                </td>
              ))}
              {actions && <td className={css.actions}>{actions(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Heading({ column, sort, onSort }: { column: Column; sort?: Sort; onSort?: (sort: Sort) => void }) {
  const sorted = sort?.by === column.id ? sort : undefined;
  const Arrow = sorted?.down ? ArrowDown : ArrowUp;
  return (
    <th
      style={{ width: column.width }}
      className={column.align === "right" ? css.right : undefined}
      aria-sort={sorted ? (sorted.down ? "descending" : "ascending") : undefined}
    >
      {column.sortable && onSort ? (
        <button type="button" className={css.sort} onClick={() => onSort({ by: column.id, down: sorted ? !sorted.down : false })}>
          {column.label}
          <Arrow size={12} aria-hidden className={cx(!sorted && css.unsorted)} />
        </button>
      ) : (
        <span className={column.hideLabel ? "visually-hidden" : undefined}>{column.label}</span>
      )}
    </th>
  );
}
