/** JSON as a tree of lines; only those in sight are drawn, however many there are. */

import { ChevronRight, Copy, CornerDownRight } from "lucide-react";
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  useCallback,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { ContextMenu, cx, type MenuItem } from "../ui";
import { copyText } from "./copyText";
import css from "./Data.module.css";
import { type FieldPicking, pickField, pickProps } from "./fieldPicking";
import {
  INITIAL_TREE_STATE,
  showMoreEntries,
  type TreeRow,
  toggleTreeRow,
  treeRows,
} from "./treeRows";
import { useVirtualRows } from "./useVirtualRows";

const ROW_HEIGHT = 20;
const MAX_TEXT_CHARS = 600;

interface JsonTreeProps {
  values: readonly unknown[];
  picking: FieldPicking | null;
  /** The numbers of the values, counted over all pages. */
  numbers: readonly number[];
  label: string;
}

export function JsonTree({ values, numbers, picking, label }: JsonTreeProps) {
  const [state, setState] = useState(INITIAL_TREE_STATE);
  const rows = useMemo(() => treeRows(values, state), [values, state]);
  const place = useRef<HTMLDivElement>(null);
  const prefix = useId();
  const [at, setAt] = useState(0);
  const [pointed, setPointed] = useState(0);
  const { from, to } = useVirtualRows(place, rows.length, ROW_HEIGHT);
  const current = Math.min(at, rows.length - 1);
  const act = useCallback(
    (row: TreeRow) =>
      setState((now) =>
        row.more !== undefined ? showMoreEntries(now, row) : toggleTreeRow(now, row.id),
      ),
    [],
  );
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[current];
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[event.key];
    if (step) {
      const next = Math.max(0, Math.min(rows.length - 1, current + step));
      setAt(next);
      const element = place.current;
      if (element && next * ROW_HEIGHT < element.scrollTop) element.scrollTop = next * ROW_HEIGHT;
      if (element && (next + 1) * ROW_HEIGHT > element.scrollTop + element.clientHeight)
        element.scrollTop = (next + 1) * ROW_HEIGHT - element.clientHeight;
    } else if (
      row &&
      ((event.key === "ArrowRight" && row.size > 0 && !row.open) ||
        (event.key === "ArrowLeft" && row.open))
    )
      act(row);
    else if (row && event.key === "Enter" && picking && row.path.length > 1)
      pickField(picking, row.path.slice(1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  // One menu for all rows: it is told which of them was pointed at.
  const onContextMenu = (event: MouseEvent) => {
    const pointed = (event.target as Element).closest<HTMLElement>("[data-row]");
    setPointed(pointed ? Number(pointed.dataset.row) : current);
  };
  return (
    <ContextMenu items={rowMenu(rows[pointed], picking)}>
      <div
        ref={place}
        className={css.tree}
        role="tree"
        aria-label={label}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onContextMenu={onContextMenu}
        aria-activedescendant={rows[current] ? `${prefix}${current}` : undefined}
      >
        <div style={{ height: rows.length * ROW_HEIGHT }}>
          <div style={{ transform: `translateY(${from * ROW_HEIGHT}px)` }}>
            {rows.slice(from, to).map((row, offset) => (
              <Row
                key={row.id}
                row={row}
                at={from + offset}
                id={`${prefix}${from + offset}`}
                number={row.path.length === 1 ? (numbers[Number(row.key)] ?? 0) : 0}
                current={from + offset === current}
                picking={picking}
                onAct={act}
              />
            ))}
          </div>
        </div>
      </div>
    </ContextMenu>
  );
}

interface RowProps {
  row: TreeRow;
  at: number;
  id: string;
  /** Of an item. */
  number: number;
  current: boolean;
  picking: FieldPicking | null;
  onAct: (row: TreeRow) => void;
}

const Row = memo(function Row({ row, at, id, number, current, picking, onAct }: RowProps) {
  const inside = row.path.slice(1);
  const opens = row.size > 0 || row.more !== undefined;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys.
    <div
      id={id}
      data-row={at}
      role="treeitem"
      tabIndex={-1}
      aria-level={row.depth + 1}
      aria-expanded={row.size > 0 && row.more === undefined ? row.open : undefined}
      aria-selected={current}
      className={cx(css.treeRow, current && css.current)}
      style={{ paddingLeft: 4 + row.depth * 16, height: ROW_HEIGHT }}
      onClick={() => opens && onAct(row)}
      {...(isPickable(row, picking) ? pickProps(picking, inside, row.value) : {})}
    >
      {row.more === undefined ? (
        <RowContent row={row} number={number} />
      ) : (
        <span className={css.more}>… {row.more} more</span>
      )}
    </div>
  );
});

function isPickable(row: TreeRow, picking: FieldPicking | null): boolean {
  return picking !== null && row.path.length > 1 && row.more === undefined;
}

function rowMenu(row: TreeRow | undefined, picking: FieldPicking | null): MenuItem[] {
  if (!row || row.more !== undefined)
    return [{ label: "Nothing to copy", disabled: true, onSelect: () => undefined }];
  const value = () =>
    typeof row.value === "string" ? row.value : JSON.stringify(row.value, null, 2);
  return [
    { label: "Copy value", icon: Copy, onSelect: () => copyText(value()) },
    ...(picking && isPickable(row, picking)
      ? [
          {
            label: "Copy path",
            icon: CornerDownRight,
            onSelect: () => copyText(picking.codeOf(row.path.slice(1))),
          },
        ]
      : []),
  ];
}

function RowContent({ row, number }: { row: TreeRow; number: number }) {
  const isItem = row.path.length === 1;
  return (
    <>
      <span className={cx(css.twist, row.open && css.twistOpen)}>
        {row.size > 0 && <ChevronRight size={13} aria-hidden />}
      </span>
      {isItem ? (
        <span className={css.itemKey}>Item {number}</span>
      ) : (
        <>
          <span className={typeof row.key === "number" ? css.indexKey : css.jsonKey}>
            {row.key}
          </span>
          <span className={css.colon}>:</span>
        </>
      )}
      <Value row={row} />
    </>
  );
}

function Value({ row }: { row: TreeRow }) {
  if (row.type === "array")
    return <span className={css.brackets}>{row.size === 0 ? "[]" : `[ ${row.size} ]`}</span>;
  if (row.type === "object")
    return <span className={css.brackets}>{row.size === 0 ? "{}" : `{ ${row.size} }`}</span>;
  if (row.type === "string") {
    const text = JSON.stringify(String(row.value).slice(0, MAX_TEXT_CHARS));
    return (
      <span className={css["type-string"]}>
        {String(row.value).length > MAX_TEXT_CHARS ? `${text}…` : text}
      </span>
    );
  }
  return <span className={css[`type-${row.type}`]}>{String(row.value)}</span>;
}
