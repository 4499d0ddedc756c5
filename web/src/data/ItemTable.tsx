/** Items as rows, their fields as columns; what is nested is drawn as a small tree in its cell. */

import { cx } from "../ui";
import css from "./Data.module.css";
import type { ShownItem } from "./items";
import { typeOf } from "./schema";
import { cellEntries, cellText, columnsOf } from "./table";
import { type Picking, pickProps } from "./use-pick";

interface ItemTableProps {
  items: readonly ShownItem[];
  picking: Picking | null;
  first: number;
  label: string;
}

const DEEPEST = 3;

export function ItemTable({ items, picking, first, label }: ItemTableProps) {
  const columns = columnsOf(items.map((item) => item.json));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys.
    <section className={css.tableFrame} aria-label={label} tabIndex={0}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col" className={css.number}>
              #
            </th>
            {columns.names.map((name) => (
              <th
                key={name}
                scope="col"
                {...pickProps(picking, [name], items[0]?.json?.[name])}
                className={cx(picking && css.canDrag)}
              >
                {name}
              </th>
            ))}
            {columns.names.length === 0 && <th scope="col">Data</th>}
          </tr>
        </thead>
        <tbody>
          {items.map((item, at) => (
            <tr key={at}>
              <td className={css.number}>{first + at + 1}</td>
              {item.preview !== undefined ? (
                <td colSpan={Math.max(1, columns.names.length)}>
                  <Preview item={item} />
                </td>
              ) : (
                columns.names.map((name) => (
                  <td key={name} {...pickProps(picking, [name], item.json?.[name])}>
                    <Cell value={item.json?.[name]} path={[name]} picking={picking} depth={0} />
                  </td>
                ))
              )}
              {columns.names.length === 0 && item.preview === undefined && <td className={css.faint}>No fields</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {columns.hidden > 0 && <p className={css.foot}>{columns.hidden} more columns. The schema and the JSON show them all.</p>}
    </section>
  );
}

/** An item that is too large to be sent: how large it is, and its beginning. */
export function Preview({ item }: { item: ShownItem }) {
  return (
    <div className={css.preview}>
      <p>This item has {((item.bytes ?? 0) / 1_000_000).toFixed(1)} MB, so only its beginning is shown.</p>
      <pre>{item.preview?.slice(0, 2000)}…</pre>
    </div>
  );
}

interface CellProps {
  value: unknown;
  path: (string | number)[];
  picking: Picking | null;
  depth: number;
}

function Cell({ value, path, picking, depth }: CellProps) {
  const type = typeOf(value);
  if (type !== "object" && type !== "array") {
    if (value === "") return <span className={css.faint}>empty</span>;
    return <span className={cx(css.cell, value === null ? css.faint : css[`plain-${type}`])}>{cellText(value)}</span>;
  }
  const { entries, more } = cellEntries(value);
  if (entries.length === 0) return <span className={css.faint}>{type === "array" ? "[]" : "{}"}</span>;
  if (depth >= DEEPEST) return <span className={css.faint}>…</span>;
  return (
    <ul className={css.nested}>
      {entries.map(([key, inner]) => (
        <li key={key} {...pickProps(picking, [...path, key], inner)}>
          <span className={typeof key === "number" ? css.indexKey : css.jsonKey}>{key}</span>
          <span className={css.colon}>:</span> <Cell value={inner} path={[...path, key]} picking={picking} depth={depth + 1} />
        </li>
      ))}
      {more > 0 && <li className={css.faint}>… {more} more</li>}
    </ul>
  );
}
