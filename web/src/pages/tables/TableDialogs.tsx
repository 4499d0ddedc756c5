/** The dialogs of data tables: a new table with its columns, and a new column. */

import { Plus, X } from "lucide-react";
import { useState } from "react";
import { Button, Dialog, ErrorState, Field, IconButton, Input, Select, useAsyncAction } from "../../ui";
import layout from "../layout.module.css";
import { useProjects } from "../settings/projectApi";
import { COLUMN_KINDS } from "./cellValues";
import { type ColumnKind, uniqueColumnName } from "./csv";
import { addColumn, createTable, type DataTable } from "./tableApi";

/** Why a name cannot be that of a column, or nothing. */
function columnProblem(name: string, others: readonly string[]): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) return "Use letters, digits and _. Start with a letter.";
  if (uniqueColumnName(name, others) !== name) return "This name is already in use.";
  return undefined;
}

export function NewTableDialog({ onClose, onDone }: { onClose: () => void; onDone: (table: DataTable) => void }) {
  const projects = useProjects();
  const [name, setName] = useState("");
  const [project, setProject] = useState<string>();
  const [columns, setColumns] = useState<{ name: string; type: ColumnKind }[]>([{ name: "name", type: "string" }]);
  const [asked, setAsked] = useState(false);
  const task = useAsyncAction();
  const wrong = columns.map((column, index) =>
    columnProblem(
      column.name,
      columns.filter((_, other) => other !== index).map((one) => one.name),
    ),
  );
  const create = async () => {
    setAsked(true);
    if (name.trim() === "" || wrong.some(Boolean)) return;
    await task.run(async () => onDone(await createTable(name.trim(), columns, project)));
  };
  const set = (index: number, change: Partial<(typeof columns)[number]>) =>
    setColumns(columns.map((column, at) => (at === index ? { ...column, ...change } : column)));
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={task.busy} onClick={create}>
        {" "}
        Create table{" "}
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title="New data table" footer={footer}>
      <div className={layout.stack}>
        <Field label="Name" required error={asked && name.trim() === "" ? "Enter a name." : undefined}>
          <Input
            value={name}
            onChange={(event) => setName(event.target.value)}
            maxLength={128}
            placeholder="contacts"
            autoFocus
          />
        </Field>
        <div className={layout.name}>Columns</div>
        {columns.map((column, index) => (
          <div key={index}>
            <div className={layout.row}>
              <Input
                className={layout.fill}
                aria-label={`Name of column ${index + 1}`}
                value={column.name}
                maxLength={63}
                invalid={asked && Boolean(wrong[index])}
                onChange={(event) => set(index, { name: event.target.value })}
              />
              <Select
                className={layout.choice}
                label={`Type of column ${index + 1}`}
                value={column.type}
                options={COLUMN_KINDS}
                onChange={(type) => set(index, { type: type as ColumnKind })}
              />
              <IconButton
                icon={X}
                label={`Remove column ${column.name}`}
                onClick={() => setColumns(columns.filter((_, at) => at !== index))}
              />
            </div>
            {asked && wrong[index] && <p className={layout.faint}>{wrong[index]}</p>}
          </div>
        ))}
        <div>
          <Button
            size="small"
            icon={Plus}
            onClick={() =>
              setColumns([
                ...columns,
                {
                  name: uniqueColumnName(
                    "column",
                    columns.map((one) => one.name),
                  ),
                  type: "string",
                },
              ])
            }
          >
            Add column
          </Button>
        </div>
        {(projects.data?.length ?? 0) > 1 && (
          <Field label="Project">
            <Select
              label="Project"
              value={project}
              onChange={setProject}
              placeholder="Personal"
              options={(projects.data ?? []).map((one) => ({ value: one.id, label: one.name }))}
            />
          </Field>
        )}
        {Boolean(task.error) && <ErrorState error={task.error} />}
      </div>
    </Dialog>
  );
}

export function NewColumnDialog({ table, onClose }: { table: DataTable; onClose: () => void }) {
  const [name, setName] = useState("");
  const [type, setType] = useState<ColumnKind>("string");
  const [asked, setAsked] = useState(false);
  const task = useAsyncAction();
  const wrong = columnProblem(
    name,
    table.columns.map((column) => column.name),
  );
  const add = async () => {
    setAsked(true);
    if (!wrong && (await task.run(() => addColumn(table.id, name, type)))) onClose();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={task.busy} onClick={add}>
        Add column
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title="New column" size="small" footer={footer}>
      <form
        className={layout.stack}
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <Field label="Name" error={asked ? wrong : undefined}>
          <Input value={name} onChange={(event) => setName(event.target.value)} maxLength={63} autoFocus />
        </Field>
        <Field label="Type">
          <Select label="Type" value={type} options={COLUMN_KINDS} onChange={(next) => setType(next as ColumnKind)} />
        </Field>
        {Boolean(task.error) && <ErrorState error={task.error} />}
      </form>
    </Dialog>
  );
}
