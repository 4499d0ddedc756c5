/** The dialogs of data tables: a new table with its columns, and a new column. */

import { Plus, X } from "lucide-react";
import { useState } from "react";
import layout from "../../shared/layout.module.css";
import { ProjectField } from "../../shared/ProjectField";
import { Button, Field, FormDialog, IconButton, Input, Select, useFormSubmitted } from "../../ui";
import { COLUMN_KINDS } from "./cellValues";
import { type ColumnKind, uniqueColumnName } from "./csv";
import { addColumn, createTable, type DataTable } from "./tableApi";

/** Why a name cannot be that of a column, or nothing. */
function columnProblem(name: string, others: readonly string[]): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name))
    return "Use letters, digits and _. Start with a letter.";
  if (uniqueColumnName(name, others) !== name) return "This name is already in use.";
  return undefined;
}

interface NewColumn {
  name: string;
  type: ColumnKind;
}

export function NewTableDialog({
  onClose,
  onDone,
}: {
  onClose: () => void;
  onDone: (table: DataTable) => void;
}) {
  const [name, setName] = useState("");
  const [project, setProject] = useState<string>();
  const [columns, setColumns] = useState<NewColumn[]>([{ name: "name", type: "string" }]);
  const wrong = columns.map((column, index) =>
    columnProblem(
      column.name,
      columns.filter((_, other) => other !== index).map((one) => one.name),
    ),
  );
  const create = async () => onDone(await createTable(name.trim(), columns, project));
  const set = (index: number, change: Partial<NewColumn>) =>
    setColumns(columns.map((column, at) => (at === index ? { ...column, ...change } : column)));
  return (
    <FormDialog
      title="New data table"
      action="Create table"
      invalid={name.trim() === "" || wrong.some(Boolean)}
      onSubmit={create}
      onClose={onClose}
    >
      <Field label="Name" required problem={name.trim() === "" ? "Enter a name." : undefined}>
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
        <NewColumnRow
          key={index}
          nth={index + 1}
          column={column}
          problem={wrong[index]}
          onChange={(change) => set(index, change)}
          onRemove={() => setColumns(columns.filter((_, at) => at !== index))}
        />
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
      <ProjectField value={project} onChange={setProject} />
    </FormDialog>
  );
}

interface NewColumnRowProps {
  nth: number;
  column: NewColumn;
  problem: string | undefined;
  onChange: (change: Partial<NewColumn>) => void;
  onRemove: () => void;
}

function NewColumnRow({ nth, column, problem, onChange, onRemove }: NewColumnRowProps) {
  const isSubmitted = useFormSubmitted();
  return (
    <div>
      <div className={layout.row}>
        <Input
          className={layout.fill}
          aria-label={`Name of column ${nth}`}
          value={column.name}
          maxLength={63}
          invalid={isSubmitted && Boolean(problem)}
          onChange={(event) => onChange({ name: event.target.value })}
        />
        <Select
          className={layout.choice}
          label={`Type of column ${nth}`}
          value={column.type}
          options={COLUMN_KINDS}
          onChange={(type) => onChange({ type: type as ColumnKind })}
        />
        <IconButton icon={X} label={`Remove column ${column.name}`} onClick={onRemove} />
      </div>
      {isSubmitted && problem && <p className={layout.faint}>{problem}</p>}
    </div>
  );
}

export function NewColumnDialog({ table, onClose }: { table: DataTable; onClose: () => void }) {
  const [name, setName] = useState("");
  const [type, setType] = useState<ColumnKind>("string");
  const wrong = columnProblem(
    name,
    table.columns.map((column) => column.name),
  );
  return (
    <FormDialog
      title="New column"
      size="small"
      action="Add column"
      invalid={Boolean(wrong)}
      onSubmit={() => addColumn(table.id, name, type)}
      onClose={onClose}
    >
      <Field label="Name" problem={wrong}>
        <Input
          value={name}
          onChange={(event) => setName(event.target.value)}
          maxLength={63}
          autoFocus
        />
      </Field>
      <Field label="Type">
        <Select
          label="Type"
          value={type}
          options={COLUMN_KINDS}
          onChange={(next) => setType(next as ColumnKind)}
        />
      </Field>
    </FormDialog>
  );
}
