/** One data table: its rows, which can be found, changed, added, removed, and taken in and out as CSV. */
import { Download, Ellipsis, FileUp, Pencil, Plus, Rows3, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { useMayChange } from "../../api/session";
import { useActions } from "../../palette/actions";
import {
  attempt,
  Button,
  bytes,
  confirm,
  count,
  Empty,
  IconButton,
  Menu,
  NothingFits,
  Page,
  Problem,
  plural,
  Skeleton,
  toast,
} from "../../ui";
import { Facts } from "../Facts";
import layout from "../layout.module.css";
import { download, fileName } from "../workflows/download";
import { NameDialog } from "../workflows/NameDialog";
import { CsvDialog } from "./CsvDialog";
import {
  addRow,
  type Cell,
  changeColumn,
  deleteColumn,
  deleteRows,
  deleteTable,
  exportCsv,
  insertRows,
  type Row,
  renameTable,
  type TableColumn,
  useRows,
  useTable,
} from "./data";
import { FilterBar } from "./FilterBar";
import { Grid } from "./Grid";
import { type RowView, readRowView, rowQuery, writeRowView } from "./query";
import { NewColumnDialog } from "./TableDialogs";

type Doing = { what: "csv" | "column" | "rename" } | { what: "rename column"; column: TableColumn };

export function TableView({ id }: { id: string }) {
  const mayChange = useMayChange();
  const table = useTable(id);
  const [query, setQuery] = useSearchParams();
  const [, go] = useLocation();
  const view = useMemo(() => readRowView(query), [query]);
  const kinds = useMemo(() => new Map((table.data?.columns ?? []).map((column) => [column.name, column.type])), [table.data]);
  const asked = useMemo(() => rowQuery(view, kinds), [view, kinds]);
  const rows = useRows(id, asked);
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [doing, setDoing] = useState<Doing | null>(null);
  const all = rows.data?.pages.flatMap((page) => page.data) ?? [];
  useActions(
    useMemo(
      () =>
        mayChange
          ? [
              {
                id: "add-row",
                label: "Add a row",
                icon: Plus,
                group: "This table",
                run: () => void attempt(() => addRow(id, {})),
              },
              {
                id: "add-column",
                label: "Add a column",
                icon: Plus,
                group: "This table",
                run: () => setDoing({ what: "column" }),
              },
              { id: "import-csv", label: "Import CSV", icon: FileUp, group: "This table", run: () => setDoing({ what: "csv" }) },
            ]
          : [],
      [id, mayChange],
    ),
  );
  const change = (next: Partial<RowView>) =>
    setQuery((before) => writeRowView({ ...readRowView(before), ...next }), { replace: true });

  if (table.error) {
    return (
      <Page title="Data table">
        <Problem error={table.error} onRetry={() => void table.refetch()} />
      </Page>
    );
  }
  if (!table.data) {
    return (
      <Page title="Data table">
        <Skeleton lines={8} />
      </Page>
    );
  }
  const { name, columns } = table.data;

  const removeRows = async () => {
    const gone = all.filter((row) => selected.has(row.id));
    if (!(await attempt(() => deleteRows(id, [...selected])))) return;
    setSelected(new Set());
    const undo = () =>
      void attempt(() =>
        insertRows(
          id,
          gone.map((row) => valuesOf(row, columns)),
        ),
      );
    toast({ text: `${plural(gone.length, "row")} deleted`, undo: gone.length === selected.size ? undo : undefined });
  };
  const removeColumn = async (column: TableColumn) => {
    const sure = await confirm({
      title: `Delete the column ${column.name}?`,
      text: "Its values are removed from every row. This cannot be undone.",
      action: "Delete column",
      danger: true,
    });
    if (sure) await attempt(() => deleteColumn(id, column.id));
  };
  const removeTable = async () => {
    const sure = await confirm({
      title: `Delete ${name}?`,
      text: `The table and its ${plural(table.data.rowCount ?? 0, "row")} are removed. Workflows that use it will fail.`,
      action: "Delete table",
      danger: true,
    });
    if (sure && (await attempt(() => deleteTable(id)))) go("/tables", { replace: true });
  };
  const save = () => attempt(async () => download(fileName(name, "csv"), await exportCsv(id, asked), "text/csv"));
  const isFiltered = view.search !== "" || view.conditions.length > 0;
  const actions = (
    <>
      {mayChange && (
        <Button icon={FileUp} onClick={() => setDoing({ what: "csv" })} disabled={columns.length === 0}>
          Import CSV
        </Button>
      )}
      <Button icon={Download} onClick={save}>
        Export CSV
      </Button>
      {mayChange && (
        <>
          <Button kind="primary" icon={Plus} onClick={() => void attempt(() => addRow(id, {}))} disabled={columns.length === 0}>
            Add row
          </Button>
          <Menu
            trigger={<IconButton icon={Ellipsis} label="More about this table" />}
            items={[
              { label: "Rename table", icon: Pencil, onSelect: () => setDoing({ what: "rename" }) },
              { label: "Add column", icon: Plus, onSelect: () => setDoing({ what: "column" }) },
              null,
              { label: "Delete table", icon: Trash2, danger: true, onSelect: () => void removeTable() },
            ]}
          />
        </>
      )}
    </>
  );
  return (
    <Page
      title={name}
      text={
        <Facts
          back={<Link href="/tables">All tables</Link>}
          facts={[
            plural(table.data.rowCount ?? all.length, "row"),
            plural(columns.length, "column"),
            bytes(table.data.sizeBytes ?? 0),
          ]}
        />
      }
      actions={actions}
      wide
    >
      <div className={layout.toolbar}>
        <FilterBar columns={columns} view={view} onView={change} />
        {selected.size > 0 && (
          <span className={layout.push}>
            <Button kind="danger" icon={Trash2} onClick={removeRows}>
              Delete {plural(selected.size, "row")}
            </Button>
          </span>
        )}
      </div>
      {rows.error && <Problem error={rows.error} onRetry={() => void rows.refetch()} />}
      {rows.isPending ? (
        <Skeleton lines={8} />
      ) : (
        <>
          <Grid
            table={table.data}
            rows={all}
            readOnly={!mayChange}
            view={view}
            onView={change}
            selected={selected}
            onSelect={setSelected}
            onAddColumn={() => setDoing({ what: "column" })}
            onRename={(column) => setDoing({ what: "rename column", column })}
            onMove={(column, index) => void attempt(() => changeColumn(id, column.id, { index }))}
            onDelete={(column) => void removeColumn(column)}
          />
          {all.length === 0 &&
            (isFiltered ? (
              <NothingFits text="No row has this in it." onClear={() => setQuery({})} />
            ) : (
              <Empty
                icon={Rows3}
                title="No rows yet"
                text={
                  mayChange
                    ? "Add a row, bring in a CSV file, or let a workflow fill the table with the Data table node."
                    : "A workflow can fill the table with the Data table node."
                }
              />
            ))}
          {rows.hasNextPage && (
            <div className={layout.toolbar} style={{ justifyContent: "center", paddingTop: 12 }}>
              <Button busy={rows.isFetchingNextPage} onClick={() => void rows.fetchNextPage()}>
                Show more ({count(all.length)}
                {!isFiltered && table.data.rowCount ? ` of ${count(table.data.rowCount)}` : ""})
              </Button>
            </div>
          )}
        </>
      )}
      {doing?.what === "csv" && <CsvDialog table={table.data} onClose={() => setDoing(null)} onDone={() => setDoing(null)} />}
      {doing?.what === "column" && <NewColumnDialog table={table.data} onClose={() => setDoing(null)} />}
      {doing?.what === "rename" && (
        <NameDialog
          title="Rename table"
          action="Rename"
          initial={name}
          onClose={() => setDoing(null)}
          onDone={(next) => renameTable(id, next)}
        />
      )}
      {doing?.what === "rename column" && (
        <NameDialog
          title="Rename column"
          action="Rename"
          initial={doing.column.name}
          onClose={() => setDoing(null)}
          onDone={(next) => changeColumn(id, doing.column.id, { name: next })}
        />
      )}
    </Page>
  );
}

/** What a row holds, without what the table itself puts there. */
function valuesOf(row: Row, columns: readonly TableColumn[]): Record<string, Cell> {
  return Object.fromEntries(columns.map((column) => [column.name, row[column.name] ?? null]));
}
