// A table of things: sorted by a click on a heading, opened by a click or Enter, with actions at the end of each row.
import { ArrowDown, ArrowUp } from "lucide-react";
import { type DragEvent, type KeyboardEvent, type MouseEvent, type ReactNode, useRef } from "react";
import { cx } from "./cx";
import { selectAllState, updateSelection } from "./rowSelection";
import { Checkbox } from "./Switch";
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

/** Lets rows be chosen by a box at their beginning. */
export interface RowSelection<Row> {
  selected: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
  /** What a row is called where its box is read out. */
  nameOf: (row: Row) => string;
}

export interface TableProps<Row> {
  columns: readonly Column[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  render: (row: Row, column: string) => ReactNode;
  onOpen?: (row: Row) => void;
  /** What can be done with a row, at its end. */
  rowActions?: (row: Row) => ReactNode;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  empty?: ReactNode;
  label?: string;
  selection?: RowSelection<Row>;
  /** Rows can be dragged; this puts what is taken along into the event. */
  onDrag?: (event: DragEvent, row: Row) => void;
}

export function Table<Row>(props: TableProps<Row>) {
  const {
    columns,
    rows,
    rowKey,
    render,
    onOpen,
    rowActions,
    sort,
    onSort,
    empty,
    label,
    selection,
    onDrag,
  } = props;
  const order = rows.map(rowKey);
  // The box clicked last, and whether Shift is held on the way to the next one.
  const from = useRef<string | null>(null);
  const isStretch = useRef(false);
  if (rows.length === 0 && empty) return empty;
  const open = (event: MouseEvent | KeyboardEvent, row: Row) => {
    const target = event.target as HTMLElement;
    if (
      onOpen &&
      (target === event.currentTarget ||
        !target.closest("button, a, input, label, [role=menuitem]"))
    )
      onOpen(row);
  };
  // The key is not for what opens and takes the focus, such as a field of text.
  const onKeyDown = (event: KeyboardEvent, row: Row) => {
    if (event.key !== "Enter") return;
    if (onOpen && event.target === event.currentTarget) event.preventDefault();
    open(event, row);
  };
  return (
    <div className={css.frame}>
      <table className={css.table} aria-label={label}>
        <thead>
          <tr>
            {selection && (
              <th className={css.choose}>
                <Checkbox
                  checked={selectAllState(selection.selected, order)}
                  onChange={(is) => selection.onChange(new Set(is ? order : []))}
                  label="Select all"
                  hideLabel
                />
              </th>
            )}
            {columns.map((column) => (
              <Heading key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
            {rowActions && (
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
              className={cx(
                onOpen && css.opens,
                selection?.selected.has(rowKey(row)) && css.chosen,
              )}
              tabIndex={onOpen ? 0 : undefined}
              draggable={onDrag !== undefined || undefined}
              onDragStart={onDrag && ((event) => onDrag(event, row))}
              onClick={(event) => open(event, row)}
              onKeyDown={(event) => onKeyDown(event, row)}
            >
              {selection && (
                <td
                  className={css.choose}
                  onPointerDown={(event) => {
                    isStretch.current = event.shiftKey;
                  }}
                  onKeyDown={() => {
                    isStretch.current = false;
                  }}
                >
                  <Checkbox
                    checked={selection.selected.has(rowKey(row))}
                    onChange={(is) => {
                      const key = rowKey(row);
                      selection.onChange(
                        updateSelection(
                          selection.selected,
                          order,
                          key,
                          is,
                          isStretch.current ? from.current : null,
                        ),
                      );
                      from.current = key;
                    }}
                    label={`Select ${selection.nameOf(row)}`}
                    hideLabel
                  />
                </td>
              )}
              {columns.map((column) => (
                <td key={column.id} className={column.align === "right" ? css.right : undefined}>
                  {render(row, column.id)}
                </td>
              ))}
              {rowActions && <td className={css.actions}>{rowActions(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Heading({
  column,
  sort,
  onSort,
}: {
  column: Column;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
}) {
  const sorted = sort?.by === column.id ? sort : undefined;
  const Arrow = sorted?.down ? ArrowDown : ArrowUp;
  return (
    <th
      style={{ width: column.width }}
      className={column.align === "right" ? css.right : undefined}
      aria-sort={sorted ? (sorted.down ? "descending" : "ascending") : undefined}
    >
      {column.sortable && onSort ? (
        <button
          type="button"
          className={css.sort}
          onClick={() => onSort({ by: column.id, down: sorted ? !sorted.down : false })}
        >
          {column.label}
          <Arrow size={12} aria-hidden className={cx(!sorted && css.unsorted)} />
        </button>
      ) : (
        <span className={column.hideLabel ? "visually-hidden" : undefined}>{column.label}</span>
      )}
    </th>
  );
}
