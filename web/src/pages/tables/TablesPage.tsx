/** The data tables: a list, and one of them. */

import { FileUp, Plus, Sheet, Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation, useParams } from "wouter";
import { useProjectNames } from "../../api/projects";
import { useCanEdit } from "../../api/session";
import { urlPath } from "../../api/url";
import { SearchListPage } from "../../shared/ListPage";
import layout from "../../shared/layout.module.css";
import {
  Button,
  Bytes,
  confirm,
  count,
  EmptyState,
  IconButton,
  plural,
  type Sort,
  Time,
  toast,
  tryAction,
} from "../../ui";
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
  const [doing, setDoing] = useState<"new" | "csv" | null>(null);
  const [sort, setSort] = useState<Sort>({ by: "name", down: false });
  const [, go] = useLocation();
  const open = (table: DataTable) => go(urlPath`/tables/${table.id}`);
  const remove = async (table: DataTable) => {
    const sure = await confirm({
      title: `Delete ${table.name}?`,
      text: `The table and its ${plural(table.rowCount ?? 0, "row")} will be deleted. Workflows that use it will fail.`,
      action: "Delete table",
      danger: true,
    });
    if (sure && (await tryAction(() => deleteTable(table.id))))
      toast({ text: `${table.name} deleted` });
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
    <SearchListPage
      text="Store rows between executions: lookup lists, processed IDs, small results."
      actions={actions}
      query={tables}
      lines={6}
      searchLabel="Search tables"
      textOf={(table) => table.name}
      order={(one, other) => (sort.down ? -1 : 1) * compare(one, other, sort.by)}
      label="Data tables"
      columns={COLUMNS}
      rowKey={(table) => table.id}
      onOpen={open}
      sort={sort}
      onSort={setSort}
      render={(table, column) => {
        if (column === "name") return <span className={layout.name}>{table.name}</span>;
        if (column === "rows") return count(table.rowCount ?? 0);
        if (column === "columns") return table.columns.length;
        if (column === "size") return <Bytes n={table.sizeBytes ?? 0} />;
        if (column === "project")
          return <span className={layout.quiet}>{projectName(table.projectId)}</span>;
        return <Time at={table.updatedAt} />;
      }}
      rowActions={(table) =>
        canEdit && (
          <IconButton
            icon={Trash2}
            label={`Delete ${table.name}`}
            size="small"
            onClick={() => void remove(table)}
          />
        )
      }
      empty={
        <EmptyState
          icon={Sheet}
          title="No data tables yet"
          text="Tables store rows for your workflows without a database, such as contacts, processed orders or prices. Workflows use them with the Data table node."
          action={actions}
        />
      }
      noMatches="No tables match this search."
    >
      {doing === "new" && <NewTableDialog onClose={() => setDoing(null)} onDone={open} />}
      {doing === "csv" && <ImportCsvDialog onClose={() => setDoing(null)} onDone={open} />}
    </SearchListPage>
  );
}

function compare(one: DataTable, other: DataTable, by: string): number {
  if (by === "rows") return (one.rowCount ?? 0) - (other.rowCount ?? 0);
  if (by === "size") return (one.sizeBytes ?? 0) - (other.sizeBytes ?? 0);
  if (by === "updated") return one.updatedAt.localeCompare(other.updatedAt);
  return one.name.localeCompare(other.name, undefined, { numeric: true, sensitivity: "base" });
}
