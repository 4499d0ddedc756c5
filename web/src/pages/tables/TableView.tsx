/** One data table: its rows, which can be found, changed, added, removed, and taken in and out as CSV. */
import { Download, Ellipsis, FileUp, Pencil, Plus, Rows3, Trash2 } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { useCanEdit } from "../../api/session";
import { useRegisterActions } from "../../palette/actionRegistry";
import { download, fileName } from "../../shared/download";
import { Facts } from "../../shared/Facts";
import layout from "../../shared/layout.module.css";
import { NameDialog } from "../../shared/NameDialog";
import {
  AsyncContent,
  Button,
  bytes,
  confirm,
  count,
  EmptyState,
  ErrorState,
  IconButton,
  Menu,
  NoMatches,
  Page,
  plural,
  Skeleton,
  toast,
  tryAction,
} from "../../ui";
import { ImportCsvDialog } from "./ImportCsvDialog";
import { RowFilterBar } from "./RowFilterBar";
import { type RowView, readRowView, toRowQuery, writeRowView } from "./rowQuery";
import { NewColumnDialog } from "./TableDialogs";
import { TableGrid } from "./TableGrid";
import {
  addRow,
  type Cell,
  deleteColumn,
  deleteRows,
  deleteTable,
  exportCsv,
  insertRows,
  type Row,
  renameTable,
  type TableColumn,
  updateColumn,
  useRows,
  useTable,
} from "./tableApi";

type OpenDialog =
  | { what: "csv" | "column" | "rename" }
  | { what: "rename column"; column: TableColumn };

export function TableView({ id }: { id: string }) {
  const canEdit = useCanEdit();
  const table = useTable(id);
  const [query, setQuery] = useSearchParams();
  const [, go] = useLocation();
  const view = useMemo(() => readRowView(query), [query]);
  const kinds = useMemo(
    () => new Map((table.data?.columns ?? []).map((column) => [column.name, column.type])),
    [table.data],
  );
  const asked = useMemo(() => toRowQuery(view, kinds), [view, kinds]);
  const rows = useRows(id, asked);
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [doing, setDoing] = useState<OpenDialog | null>(null);
  // A row that was just added is in sight, whatever the order, the filters and the rows that are loaded.
  const [added, setAdded] = useState<{ row: Row; view: RowView } | null>(null);
  const loadedRows = rows.data?.pages.flatMap((page) => page.data) ?? [];
  const extra = added?.view === view ? added.row : null;
  const all =
    extra && !loadedRows.some((row) => row.id === extra.id) ? [...loadedRows, extra] : loadedRows;
  const startRow = useCallback(
    () =>
      void tryAction(async () => {
        const row = await addRow(id, {});
        if (row) setAdded({ row, view });
      }),
    [id, view],
  );
  useRegisterActions(
    useMemo(
      () =>
        canEdit
          ? [
              {
                id: "add-row",
                label: "Add row",
                icon: Plus,
                group: "This table",
                run: startRow,
              },
              {
                id: "add-column",
                label: "Add column",
                icon: Plus,
                group: "This table",
                run: () => setDoing({ what: "column" }),
              },
              {
                id: "import-csv",
                label: "Import CSV",
                icon: FileUp,
                group: "This table",
                run: () => setDoing({ what: "csv" }),
              },
            ]
          : [],
      [canEdit, startRow],
    ),
  );
  const change = (next: Partial<RowView>) =>
    setQuery((before) => writeRowView({ ...readRowView(before), ...next }), { replace: true });

  if (!table.data) {
    return (
      <Page title="Data table">
        <AsyncContent query={table} lines={8} />
      </Page>
    );
  }
  const { name, columns } = table.data;

  const removeRows = async () => {
    const gone = all.filter((row) => selected.has(row.id));
    if (!(await tryAction(() => deleteRows(id, [...selected])))) return;
    setSelected(new Set());
    const undo = () =>
      void tryAction(() =>
        insertRows(
          id,
          gone.map((row) => valuesOf(row, columns)),
        ),
      );
    toast({
      text: `${plural(gone.length, "row")} deleted`,
      undo: gone.length === selected.size ? undo : undefined,
    });
  };
  const removeColumn = async (column: TableColumn) => {
    const sure = await confirm({
      title: `Delete column ${column.name}?`,
      text: "Its values will be deleted from every row. This cannot be undone.",
      action: "Delete column",
      danger: true,
    });
    if (sure) await tryAction(() => deleteColumn(id, column.id));
  };
  const removeTable = async () => {
    const sure = await confirm({
      title: `Delete ${name}?`,
      text: `The table and its ${plural(table.data.rowCount ?? 0, "row")} will be deleted. Workflows that use it will fail.`,
      action: "Delete table",
      danger: true,
    });
    if (sure && (await tryAction(() => deleteTable(id)))) go("/tables", { replace: true });
  };
  const save = () =>
    tryAction(async () => download(fileName(name, "csv"), await exportCsv(id, asked), "text/csv"));
  const isFiltered = view.search !== "" || view.conditions.length > 0;
  const actions = (
    <>
      {canEdit && (
        <Button
          icon={FileUp}
          onClick={() => setDoing({ what: "csv" })}
          disabled={columns.length === 0}
        >
          Import CSV
        </Button>
      )}
      <Button icon={Download} onClick={save}>
        Export CSV
      </Button>
      {canEdit && (
        <>
          <Button kind="primary" icon={Plus} onClick={startRow} disabled={columns.length === 0}>
            Add row
          </Button>
          <Menu
            trigger={<IconButton icon={Ellipsis} label="More" />}
            items={[
              { label: "Rename table", icon: Pencil, onSelect: () => setDoing({ what: "rename" }) },
              { label: "Add column", icon: Plus, onSelect: () => setDoing({ what: "column" }) },
              null,
              {
                label: "Delete table",
                icon: Trash2,
                danger: true,
                onSelect: () => void removeTable(),
              },
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
        <RowFilterBar columns={columns} view={view} onView={change} />
        {selected.size > 0 && (
          <span className={layout.push}>
            <Button kind="danger" icon={Trash2} onClick={removeRows}>
              Delete {plural(selected.size, "row")}
            </Button>
          </span>
        )}
      </div>
      {rows.error && <ErrorState error={rows.error} onRetry={() => void rows.refetch()} />}
      {rows.isPending ? (
        <Skeleton lines={8} />
      ) : (
        <>
          <TableGrid
            table={table.data}
            rows={all}
            readOnly={!canEdit}
            view={view}
            onView={change}
            selected={selected}
            onSelect={setSelected}
            added={extra?.id ?? null}
            onWrite={(row, column, value) =>
              setAdded((one) =>
                one?.row.id === row ? { ...one, row: { ...one.row, [column]: value } } : one,
              )
            }
            onAddColumn={() => setDoing({ what: "column" })}
            onRename={(column) => setDoing({ what: "rename column", column })}
            onMove={(column, index) => void tryAction(() => updateColumn(id, column.id, { index }))}
            onDelete={(column) => void removeColumn(column)}
          />
          {all.length === 0 &&
            (isFiltered ? (
              <NoMatches text="No rows match these filters." onClear={() => setQuery({})} />
            ) : (
              <EmptyState
                icon={Rows3}
                title="No rows yet"
                text={
                  canEdit
                    ? "Add a row, import a CSV file, or fill the table from a workflow with the Data table node."
                    : "Workflows can fill the table with the Data table node."
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
      {doing?.what === "csv" && (
        <ImportCsvDialog
          table={table.data}
          onClose={() => setDoing(null)}
          onDone={() => setDoing(null)}
        />
      )}
      {doing?.what === "column" && (
        <NewColumnDialog table={table.data} onClose={() => setDoing(null)} />
      )}
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
          onDone={(next) => updateColumn(id, doing.column.id, { name: next })}
        />
      )}
    </Page>
  );
}

/** What a row holds, without what the table itself puts there. */
function valuesOf(row: Row, columns: readonly TableColumn[]): Record<string, Cell> {
  return Object.fromEntries(columns.map((column) => [column.name, row[column.name] ?? null]));
}
