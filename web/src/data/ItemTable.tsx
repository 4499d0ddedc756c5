/** Items as rows, their fields as columns. A small table draws what is nested as small trees; a large one has one line for each item. */

import { useMemo, useRef } from "react";
import type { Json } from "../graph/json";
import { getIn } from "../graph/paramPath";
import { cx } from "../ui";
import css from "./Data.module.css";
import { type DisplayItem, itemNumber } from "./dataSource";
import { type FieldPicking, pickListeners, pickTargetProps } from "./fieldPicking";
import { typeOf } from "./schema";
import { cellEntries, cellText, columnsOf, lineText, MAX_RICH_CELLS } from "./tableCells";
import { useVirtualRows } from "./useVirtualRows";

interface ItemTableProps {
  items: readonly DisplayItem[];
  picking: FieldPicking | null;
  first: number;
  label: string;
}

const MAX_DEPTH = 3;
const ROW_HEIGHT = 28;
const HEADER_HEIGHT = 30;

export function ItemTable({ items, picking, first, label }: ItemTableProps) {
  const columns = useMemo(() => columnsOf(items.map((item) => item.json)), [items]);
  const place = useRef<HTMLElement>(null);
  const rich = items.length * columns.names.length <= MAX_RICH_CELLS;
  const seen = useVirtualRows(place, items.length, ROW_HEIGHT, 4);
  const { from, to } = rich ? { from: 0, to: items.length } : seen;
  const sampleOf = (path: readonly (string | number)[], row: number) =>
    getIn(items[row]?.json as Json | undefined, path);
  const width = Math.max(1, columns.names.length);
  return (
    <section
      ref={place}
      className={css.tableFrame}
      aria-label={`${label} as a table`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys.
      tabIndex={0}
      {...pickListeners(picking, sampleOf)}
    >
      <table className={cx(css.table, !rich && css.lines)}>
        <thead>
          <tr data-item={0} style={{ height: HEADER_HEIGHT }}>
            <th scope="col" className={css.number}>
              #
            </th>
            {columns.names.map((name) => (
              <th
                key={name}
                scope="col"
                className={cx(picking && css.canDrag)}
                {...pickTargetProps(picking, [name])}
              >
                {name}
              </th>
            ))}
            {columns.names.length === 0 && <th scope="col">Data</th>}
          </tr>
        </thead>
        <tbody>
          {from > 0 && <tr style={{ height: from * ROW_HEIGHT }} aria-hidden />}
          {items.slice(from, to).map((item, offset) => (
            <tr
              key={from + offset}
              data-item={from + offset}
              style={rich ? undefined : { height: ROW_HEIGHT }}
            >
              <td className={css.number}>{itemNumber(item, first, from + offset)}</td>
              {item.preview !== undefined ? (
                <td colSpan={width}>
                  {rich ? <TruncatedItem item={item} /> : item.preview.slice(0, 200)}
                </td>
              ) : (
                columns.names.map((name) => (
                  <td key={name} {...pickTargetProps(picking, [name])}>
                    {rich ? (
                      <Cell value={item.json?.[name]} path={[name]} picking={picking} depth={0} />
                    ) : (
                      lineText(item.json?.[name])
                    )}
                  </td>
                ))
              )}
              {columns.names.length === 0 && item.preview === undefined && (
                <td className={css.faint}>No fields</td>
              )}
            </tr>
          ))}
          {to < items.length && (
            <tr style={{ height: (items.length - to) * ROW_HEIGHT }} aria-hidden />
          )}
        </tbody>
      </table>
      {columns.hidden > 0 && (
        <p className={css.foot}>
          {columns.hidden} more columns. Switch to Schema or JSON to see all of them.
        </p>
      )}
    </section>
  );
}

/** An item that is too large to be sent: how large it is, and its beginning. */
export function TruncatedItem({ item }: { item: DisplayItem }) {
  return (
    <div className={css.preview}>
      <p>
        This item is {((item.bytes ?? 0) / 1_000_000).toFixed(1)} MB. Only the first part is shown.
      </p>
      <pre>{item.preview?.slice(0, 2000)}…</pre>
    </div>
  );
}

interface CellProps {
  value: unknown;
  path: (string | number)[];
  picking: FieldPicking | null;
  depth: number;
}

function Cell({ value, path, picking, depth }: CellProps) {
  const type = typeOf(value);
  if (type !== "object" && type !== "array") {
    if (value === "") return <span className={css.faint}>empty</span>;
    return (
      <span className={cx(css.cell, value === null ? css.faint : css[`plain-${type}`])}>
        {cellText(value)}
      </span>
    );
  }
  const { entries, more } = cellEntries(value);
  if (entries.length === 0)
    return <span className={css.faint}>{type === "array" ? "[]" : "{}"}</span>;
  if (depth >= MAX_DEPTH) return <span className={css.faint}>…</span>;
  return (
    <ul className={css.nested}>
      {entries.map(([key, inner]) => (
        <li key={key} {...pickTargetProps(picking, [...path, key])}>
          <span className={typeof key === "number" ? css.indexKey : css.jsonKey}>{key}</span>
          <span className={css.colon}>:</span>
          <Cell value={inner} path={[...path, key]} picking={picking} depth={depth + 1} />
        </li>
      ))}
      {more > 0 && <li className={css.faint}>… {more} more</li>}
    </ul>
  );
}
