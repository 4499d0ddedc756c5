/** The data of one output or input: as schema, table, JSON or files, a page at a time, with a search. */

import { ChevronLeft, ChevronRight, Copy, Search } from "lucide-react";
import { memo, type ReactNode, useMemo, useState } from "react";
import { useSchema } from "../run/runItems";
import { cx, EmptyState, ErrorState, IconButton, SearchInput, Skeleton, useDebounced } from "../ui";
import { BinaryView } from "./BinaryView";
import { copyText } from "./copyText";
import css from "./Data.module.css";
import { type DataSource, type DisplayItem, itemNumber, useDataSource } from "./dataSource";
import type { FieldPicking } from "./fieldPicking";
import { ItemTable, TruncatedItem } from "./ItemTable";
import { JsonTree } from "./JsonTree";
import { SchemaTree } from "./SchemaTree";
import { filterSchema, schemaOf, schemaOfFields } from "./schema";

type View = "schema" | "table" | "json" | "files";
const VIEWS: readonly [View, string][] = [
  ["schema", "Schema"],
  ["table", "Table"],
  ["json", "JSON"],
];

interface DataPaneProps {
  source: DataSource;
  picking: FieldPicking | null;
  /** Under which name the chosen view is remembered. */
  storageKey: string;
  initialView: View;
  label: string;
  /** Buttons at the right end of the bar. */
  actions?: ReactNode;
  /** Stands under the fields in the schema. */
  below?: ReactNode;
}

/** Drawn anew only when what it is given changes, because it may hold thousands of cells. */
export const DataPane = memo(function DataPane({
  source,
  picking,
  storageKey,
  initialView,
  label,
  actions,
  below,
}: DataPaneProps) {
  const [view, setView] = useStoredView(storageKey, initialView);
  // Where each page up to this one began: a page of large items may be shorter than others.
  const [starts, setStarts] = useState<readonly number[]>([0]);
  const [searching, setSearching] = useState(false);
  const [search, setSearch] = useState("");
  const asked = useDebounced(search);
  const offset = starts.at(-1) ?? 0;
  const data = useDataSource(source, offset, asked);
  const end = offset + data.items.length;
  const hasFiles = data.items.some((item) => item.binary && Object.keys(item.binary).length > 0);
  const views =
    hasFiles || view === "files" ? [...VIEWS, ["files", "Files"] as [View, string]] : VIEWS;
  return (
    <div className={css.pane}>
      <div className={css.bar}>
        <div className={css.views} role="group" aria-label={`${label} as`}>
          {views.map(([id, words]) => (
            <button key={id} type="button" aria-pressed={view === id} onClick={() => setView(id)}>
              {words}
            </button>
          ))}
        </div>
        <span className={css.count}>{data.isPending ? "" : countLabel(data.total, asked)}</span>
        <IconButton
          icon={Search}
          label="Search data"
          size="small"
          active={searching}
          onClick={() => setSearching(!searching)}
        />
        {(view === "table" || view === "json") && (
          <IconButton
            icon={Copy}
            label="Copy items as JSON"
            size="small"
            onClick={() => copyItems(data.items)}
          />
        )}
        {actions}
      </div>
      {searching && (
        <SearchInput
          className={css.search}
          value={search}
          onChange={(next) => {
            setSearch(next);
            setStarts([0]);
          }}
          label={`Search ${label}`}
          placeholder="Search names and values"
          autoFocus
        />
      )}
      <div className={css.body}>
        {data.error ? (
          <ErrorState error={data.error} onRetry={data.retry} />
        ) : data.isPending ? (
          <div className={css.reading}>
            <Skeleton lines={8} />
          </div>
        ) : data.items.length === 0 ? (
          <EmptyState
            icon={Search}
            title={asked ? "No matches" : "No items"}
            text={asked ? `No item contains “${asked}”.` : "This output has no items."}
          />
        ) : (
          <DataBody
            view={view}
            items={data.items}
            picking={picking}
            first={offset}
            label={label}
            search={asked}
            source={source}
            below={below}
          />
        )}
      </div>
      {(offset > 0 || end < data.total) && data.items.length > 0 && (
        <nav className={css.pager} aria-label={`Pages of ${label}`}>
          <IconButton
            icon={ChevronLeft}
            label="Previous page"
            size="small"
            disabled={offset === 0}
            onClick={() => setStarts(starts.slice(0, -1))}
          />
          <span>
            {(offset + 1).toLocaleString("en")}–{end.toLocaleString("en")} of{" "}
            {data.total.toLocaleString("en")}
          </span>
          <IconButton
            icon={ChevronRight}
            label="Next page"
            size="small"
            disabled={end >= data.total}
            onClick={() => setStarts([...starts, end])}
          />
        </nav>
      )}
    </div>
  );
});

interface DataBodyProps {
  view: View;
  items: readonly DisplayItem[];
  picking: FieldPicking | null;
  first: number;
  label: string;
  search: string;
  source: DataSource;
  below: ReactNode;
}

function DataBody({ view, items, picking, first, label, search, source, below }: DataBodyProps) {
  const values = useMemo(() => items.map((item) => item.json ?? item.preview), [items]);
  const numbers = useMemo(
    () => items.map((item, at) => itemNumber(item, first, at)),
    [items, first],
  );
  switch (view) {
    case "table":
      return <ItemTable items={items} picking={picking} first={first} label={label} />;
    case "json":
      return <JsonTree values={values} numbers={numbers} picking={picking} label={label} />;
    case "files":
      return <BinaryView items={items} first={first} />;
    default:
      return (
        <SchemaView items={items} picking={picking} search={search} source={source} below={below} />
      );
  }
}

function SchemaView({
  items,
  picking,
  search,
  source,
  below,
}: Pick<DataBodyProps, "items" | "picking" | "search" | "source" | "below">) {
  const large = items.filter((item) => item.preview !== undefined);
  // Items that are too large to be sent have a schema at the server.
  const run = source.kind === "run" && large.length > 0 ? source : null;
  const asked = useSchema({
    executionId: run?.executionId,
    node: run?.node ?? "",
    run: run?.run,
    output: run?.output,
    version: run?.version,
  });
  const nodes = useMemo(() => {
    const whole =
      large.length > 0 && asked.data
        ? schemaOfFields(asked.data.fields)
        : schemaOf(items.map((item) => item.json));
    return filterSchema(whole, search);
  }, [items, large.length, asked.data, search]);
  return (
    <div className={css.scroll}>
      {large[0] && nodes.length === 0 && <TruncatedItem item={large[0]} />}
      {nodes.length === 0 && large.length === 0 && (
        <p className={css.foot}>{search ? "No matching fields." : "The items have no fields."}</p>
      )}
      <SchemaTree nodes={nodes} picking={picking} allOpen={search !== ""} />
      {below}
    </div>
  );
}

/** The data of the items that are in sight, as it can be pasted into a pin or a test. */
function copyItems(items: readonly DisplayItem[]): void {
  const text = JSON.stringify(
    items.map((item) => item.json ?? item.preview),
    null,
    2,
  );
  copyText(text, items.length === 1 ? "1 item copied." : `${items.length} items copied.`);
}

function countLabel(total: number, search: string): string {
  const items = total === 1 ? "1 item" : `${total.toLocaleString("en")} items`;
  return search ? `${items} found` : items;
}

function useStoredView(storageKey: string, initial: View): [View, (view: View) => void] {
  const key = `heddle.view.${storageKey}`;
  const [view, setView] = useState<View>(
    () => (localStorage.getItem(key) as View | null) ?? initial,
  );
  return [
    view,
    (next) => {
      setView(next);
      localStorage.setItem(key, next);
    },
  ];
}

export function PaneNote({ children, tone }: { children: ReactNode; tone?: "pinned" | "bad" }) {
  return (
    <div className={cx(css.note, tone === "pinned" && css.pinned, tone === "bad" && css.bad)}>
      {children}
    </div>
  );
}
