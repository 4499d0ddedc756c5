/** The data tables: a list, and one of them. */

import { FileUp, Plus, Sheet, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation, useParams, useSearchParams } from "wouter";
import { useCanEdit } from "../../api/session";
import { urlPath } from "../../api/url";
import {
  Button,
  Bytes,
  confirm,
  count,
  EmptyState,
  ErrorState,
  IconButton,
  NoMatches,
  Page,
  plural,
  SearchInput,
  Skeleton,
  type Sort,
  Table,
  Time,
  toast,
  tryAction,
} from "../../ui";
import layout from "../layout.module.css";
import { useProjectNames } from "../settings/projectApi";
import { ImportCsvDialog } from "./ImportCsvDialog";
import { NewTableDialog } from "./TableDialogs";
import { TableView } from "./TableView";
import { type DataTable, deleteTable, useTables } from "./tableApi";

export default function TablesPage() {
  const { id } = useParams<{ id?: string }>();
  return id ? <TableView key={id} id={id} /> : <TableList />;
}

const COLUMNS = [
  { id: "name", label: "Name", sortable: true },
  { id: "rows", label: "Rows", align: "right" as const, width: "110px", sortable: true },
  { id: "columns", label: "Columns", align: "right" as const, width: "100px" },
  { id: "size", label: "Size", align: "right" as const, width: "110px", sortable: true },
  { id: "project", label: "Project", width: "180px" },
  { id: "updated", label: "Updated", width: "120px", sortable: true },
];

function TableList() {
  const canEdit = useCanEdit();
  const tables = useTables();
  const projectName = useProjectNames();
  const [query, setQuery] = useSearchParams();
  const [doing, setDoing] = useState<"new" | "csv" | null>(null);
  const [sort, setSort] = useState<Sort>({ by: "name", down: false });
  const [, go] = useLocation();
  const text = query.get("q") ?? "";
  const all = tables.data ?? [];
  const found = all
    .filter((table) => table.name.toLowerCase().includes(text.toLowerCase()))
    .sort((one, other) => (sort.down ? -1 : 1) * compare(one, other, sort.by));
  const open = (table: DataTable) => go(urlPath`/tables/${table.id}`);
  const remove = async (table: DataTable) => {
    const sure = await confirm({
      title: `Delete ${table.name}?`,
      text: `The table and its ${plural(table.rowCount ?? 0, "row")} will be deleted. Workflows that use it will fail.`,
      action: "Delete table",
      danger: true,
    });
    if (sure && (await tryAction(() => deleteTable(table.id)))) toast({ text: `${table.name} deleted` });
  };
  const actions = canEdit && (
    <>
      <Button icon={FileUp} onClick={() => setDoing("csv")}>
        {" "}
        Import CSV{" "}
      </Button>
      <Button kind="primary" icon={Plus} onClick={() => setDoing("new")}>
        New table
      </Button>
    </>
  );
  return (
    <Page title="Data tables" text="Store rows between executions: lookup lists, processed IDs, small results." actions={actions}>
      {all.length > 0 && (
        <div className={layout.toolbar}>
          <SearchInput
            className={layout.search}
            label="Search tables"
            value={text}
            onChange={(value) => setQuery(value ? { q: value } : {}, { replace: true })}
          />
        </div>
      )}
      {tables.isPending && <Skeleton lines={6} />}
      {tables.error && <ErrorState error={tables.error} onRetry={() => void tables.refetch()} />}
      {tables.isSuccess && (
        <Table
          label="Data tables"
          columns={COLUMNS}
          rows={found}
          rowKey={(table) => table.id}
          onOpen={open}
          sort={sort}
          onSort={setSort}
          render={(table, column) => {
            if (column === "name") return <span className={layout.name}>{table.name}</span>;
            if (column === "rows") return count(table.rowCount ?? 0);
            if (column === "columns") return table.columns.length;
            if (column === "size") return <Bytes n={table.sizeBytes ?? 0} />;
            if (column === "project") return <span className={layout.quiet}>{projectName(table.projectId)}</span>;
            return <Time at={table.updatedAt} />;
          }}
          actions={(table) =>
            canEdit && <IconButton icon={Trash2} label={`Delete ${table.name}`} size="small" onClick={() => void remove(table)} />
          }
          empty={
            all.length === 0 ? (
              <EmptyState
                icon={Sheet}
                title="No data tables yet"
                text="Tables store rows for your workflows without a database, such as contacts, processed orders or prices. Workflows use them with the Data table node."
                action={actions}
              />
            ) : (
              <NoMatches text="No tables match this search." onClear={() => setQuery({})} />
            )
          }
        />
      )}
      {doing === "new" && <NewTableDialog onClose={() => setDoing(null)} onDone={open} />}
      {doing === "csv" && <ImportCsvDialog onClose={() => setDoing(null)} onDone={open} />}
    </Page>
  );
}

function compare(one: DataTable, other: DataTable, by: string): number {
  if (by === "rows") return (one.rowCount ?? 0) - (other.rowCount ?? 0);
  if (by === "size") return (one.sizeBytes ?? 0) - (other.sizeBytes ?? 0);
  if (by === "updated") return one.updatedAt.localeCompare(other.updatedAt);
  return one.name.localeCompare(other.name, undefined, { numeric: true, sensitivity: "base" });
}
