/** The rows of a data table as a grid in which every cell can be changed, by those who may. */
import {
  ArrowDown,
  ArrowLeft,
  ArrowRight,
  ArrowUp,
  ChevronDown,
  Pencil,
  Plus,
  Trash2,
} from "lucide-react";
import { useEffect, useState } from "react";
import { Checkbox, cx, IconButton, Menu, type MenuItem } from "../../ui";
import { columnKindLabel, sortLabels } from "./cellValues";
import { type CellMove, GridCell } from "./GridCell";
import type { RowView } from "./rowQuery";
import styles from "./TableGrid.module.css";
import type { Cell, DataTable, Row, TableColumn } from "./tableApi";
import { useCellHistory } from "./useCellHistory";

interface Props {
  table: DataTable;
  rows: readonly Row[];
  /** Nothing can be changed or selected; rows can still be sorted. */
  readOnly: boolean;
  view: RowView;
  onView: (change: Partial<RowView>) => void;
  selected: ReadonlySet<number>;
  onSelect: (rows: ReadonlySet<number>) => void;
  /** A row that was just added: its first cell is typed in as soon as it is there. */
  added: number | null;
  /** A cell was changed. */
  onWrite: (row: number, column: string, value: Cell) => void;
  onAddColumn: () => void;
  onRename: (column: TableColumn) => void;
  onMove: (column: TableColumn, to: number) => void;
  onDelete: (column: TableColumn) => void;
}

export function TableGrid(props: Props) {
  const {
    table,
    rows,
    readOnly,
    view,
    onView,
    selected,
    onSelect,
    added,
    onWrite,
    onAddColumn,
    onRename,
    onMove,
    onDelete,
  } = props;
  const [editing, setEditing] = useState<{ row: number; column: number; isShown?: boolean } | null>(
    null,
  );
  const write = useCellHistory(table.id);
  const columns = [...table.columns].sort((one, other) => one.index - other.index);
  const first = columns.findIndex((column) => column.type !== "boolean");
  const isThere = rows.some((row) => row.id === added);
  useEffect(() => {
    if (added !== null && isThere && first >= 0) setEditing({ row: added, column: first });
  }, [added, isThere, first]);
  const done = (at: number, column: number, row: Row, value: Cell | undefined, next: CellMove) => {
    const name = columns[column]?.name;
    if (value !== undefined && name) {
      onWrite(row.id, name, value);
      write(row.id, name, row[name] ?? null, value);
    }
    if (next === "here") return setEditing({ row: row.id, column, isShown: true });
    const [down, side] = [
      next === "down" ? at + 1 : at,
      next === "right" ? column + 1 : next === "left" ? column - 1 : column,
    ];
    const target = rows[down];
    const kind = columns[side]?.type;
    setEditing(
      next === "stay" || !target || !kind || kind === "boolean"
        ? null
        : { row: target.id, column: side },
    );
  };
  const isAt = (row: number, column: number) => editing?.row === row && editing.column === column;
  const toggle = (id: number, on: boolean) => {
    const next = new Set(selected);
    if (on) next.add(id);
    else next.delete(id);
    onSelect(next);
  };
  const every = rows.length > 0 && rows.every((row) => selected.has(row.id));
  const some = !every && rows.some((row) => selected.has(row.id));
  return (
    <div className={styles.frame}>
      <table className={styles.grid} aria-label={`Rows of ${table.name}`}>
        <thead>
          <tr>
            {!readOnly && (
              <th className={styles.check}>
                <Checkbox
                  checked={every ? true : some ? "indeterminate" : false}
                  onChange={(on) => onSelect(on ? new Set(rows.map((row) => row.id)) : new Set())}
                  label="Select all rows"
                  hideLabel
                />
              </th>
            )}
            <th className={styles.id}>id</th>
            {columns.map((column, index) => (
              <th
                key={column.id}
                aria-sort={
                  view.sort === column.name ? (view.down ? "descending" : "ascending") : undefined
                }
              >
                <Menu
                  align="start"
                  trigger={<Heading column={column} view={view} />}
                  items={itemsOf(column, index)}
                />
              </th>
            ))}
            <th className={styles.add}>
              {!readOnly && (
                <IconButton icon={Plus} label="Add column" size="small" onClick={onAddColumn} />
              )}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={row.id} className={cx(selected.has(row.id) && styles.selected)}>
              {!readOnly && (
                <td className={styles.check}>
                  <Checkbox
                    checked={selected.has(row.id)}
                    onChange={(on) => toggle(row.id, on)}
                    label={`Select row ${row.id}`}
                    hideLabel
                  />
                </td>
              )}
              <td className={styles.id}>{row.id}</td>
              {columns.map((column, index) => (
                <td key={column.id}>
                  <GridCell
                    value={row[column.name]}
                    kind={column.type}
                    label={`${column.name} of row ${row.id}`}
                    readOnly={readOnly}
                    editing={isAt(row.id, index) && !editing?.isShown}
                    focused={isAt(row.id, index) && editing?.isShown === true}
                    onEdit={() => setEditing({ row: row.id, column: index })}
                    onDone={(value, next) => done(at, index, row, value, next)}
                  />
                </td>
              ))}
              <td className={styles.add} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );

  function itemsOf(column: TableColumn, index: number): MenuItem[] {
    const [up, down] = sortLabels(column.type);
    return [
      { label: up, icon: ArrowUp, onSelect: () => onView({ sort: column.name, down: false }) },
      { label: down, icon: ArrowDown, onSelect: () => onView({ sort: column.name, down: true }) },
      ...(view.sort === column.name
        ? [{ label: "Clear sort", onSelect: () => onView({ sort: null }) }]
        : []),
      ...(readOnly ? [] : changesOf(column, index)),
    ];
  }

  function changesOf(column: TableColumn, index: number): MenuItem[] {
    return [
      null,
      { label: "Rename", icon: Pencil, onSelect: () => onRename(column) },
      {
        label: "Move left",
        icon: ArrowLeft,
        disabled: index === 0,
        onSelect: () => onMove(column, index - 1),
      },
      {
        label: "Move right",
        icon: ArrowRight,
        disabled: index === columns.length - 1,
        onSelect: () => onMove(column, index + 1),
      },
      null,
      { label: "Delete column", icon: Trash2, danger: true, onSelect: () => onDelete(column) },
    ];
  }
}

function Heading({ column, view, ...rest }: { column: TableColumn; view: RowView }) {
  const Arrow = view.sort === column.name ? (view.down ? ArrowDown : ArrowUp) : ChevronDown;
  return (
    <button type="button" className={styles.heading} {...rest}>
      <span>{column.name}</span>
      <span className={styles.kind}>{columnKindLabel(column.type)}</span>
      <Arrow size={12} aria-hidden />
    </button>
  );
}
