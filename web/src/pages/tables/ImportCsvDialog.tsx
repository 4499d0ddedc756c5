/** Brings a CSV file into a data table: into one that is there, by the names of columns, or into a new one. */
import { FileUp } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import layout from "../../shared/layout.module.css";
import {
  Button,
  ErrorState,
  Field,
  FormDialog,
  Input,
  plural,
  Select,
  toast,
  useAsyncAction,
} from "../../ui";
import { COLUMN_KINDS, coerceCell, findMisfits } from "./cellValues";
import { type ColumnKind, type CsvFile, guessColumnKind, parseCsv, uniqueColumnName } from "./csv";
import { createTable, type DataTable, insertRows } from "./tableApi";

interface Props {
  /** Where the rows go; a new table is made without it. */
  table?: DataTable;
  onClose: () => void;
  onDone: (table: DataTable) => void;
}

/** What becomes of a column of the file. */
interface ColumnMapping {
  from: string;
  to: string;
  type: ColumnKind;
}

/** Stands for "leave out" in the list, which has texts only. */
const SKIP = "-";

export function ImportCsvDialog({ table, onClose, onDone }: Props) {
  const [file, setFile] = useState<CsvFile | null>(null);
  const [name, setName] = useState("");
  const [mapped, setMapped] = useState<readonly ColumnMapping[]>([]);
  const [progress, setProgress] = useState<number | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const reading = useAsyncAction();

  const take = (chosen: File | undefined) =>
    chosen &&
    reading.run(async () => {
      const read = parseCsv(await chosen.text());
      if ("problem" in read) throw new Error(read.problem);
      setFile(read);
      setName(chosen.name.replace(/\.csv$/i, ""));
      setMapped(guessMapping(read, table));
    });
  const bring = async () => {
    if (!file) return;
    const kept = mapped.flatMap((column, index) =>
      column.to === SKIP ? [] : [{ ...column, index }],
    );
    const target =
      table ??
      (await createTable(
        name.trim() || "import",
        kept.map(({ to, type }) => ({ name: to, type })),
      ));
    const rows = file.rows.map((row) =>
      Object.fromEntries(
        kept.map(({ to, type, index }) => [to, coerceCell(row[index] ?? "", type)]),
      ),
    );
    setProgress(0);
    await insertRows(target.id, rows, setProgress).finally(() => setProgress(null));
    toast({ text: `${plural(rows.length, "row")} imported into ${target.name}`, tone: "good" });
    onDone(target);
  };
  const set = (index: number, change: Partial<ColumnMapping>) =>
    setMapped(mapped.map((column, at) => (at === index ? { ...column, ...change } : column)));
  const isNothing = mapped.every((column) => column.to === SKIP);

  const action =
    file &&
    (progress === null
      ? `Import ${plural(file.rows.length, "row")}`
      : `${progress} of ${file.rows.length}`);
  return (
    <FormDialog
      title={table ? `Import CSV into ${table.name}` : "New table from CSV"}
      action={action ?? undefined}
      aside={<Button onClick={() => setFile(null)}>Change file</Button>}
      disabled={isNothing}
      onSubmit={bring}
      onClose={onClose}
    >
      {!file && (
        <>
          <p className={layout.quiet}>
            The first line must contain the column names. Supports commas, semicolons and tabs.
          </p>
          <div>
            <Button
              kind="primary"
              icon={FileUp}
              busy={reading.busy}
              onClick={() => input.current?.click()}
            >
              {" "}
              Select file{" "}
            </Button>
          </div>
          <input
            ref={input}
            type="file"
            accept=".csv,.tsv,text/csv"
            hidden
            aria-label="CSV file"
            onChange={(event) => {
              void take(event.target.files?.[0]);
              event.target.value = "";
            }}
          />
        </>
      )}
      {file && !table && (
        <Field label="Table name">
          <Input value={name} onChange={(event) => setName(event.target.value)} maxLength={128} />
        </Field>
      )}
      {file &&
        mapped.map((column, index) => (
          <div key={index}>
            <div className={layout.row}>
              <span className={`${layout.fill} ${layout.cut}`} title={file.rows[0]?.[index]}>
                {column.from || `Column ${index + 1}`}{" "}
                <span className={layout.faint}>{file.rows[0]?.[index]?.slice(0, 40)}</span>
              </span>
              {table ? (
                <Select
                  className={layout.choice}
                  label={`Target column for ${column.from}`}
                  value={column.to}
                  options={[
                    { value: SKIP, label: "Skip" },
                    ...table.columns.map((one) => ({ value: one.name, label: one.name })),
                  ]}
                  onChange={(to) =>
                    set(index, {
                      to,
                      type: table.columns.find((one) => one.name === to)?.type ?? "string",
                    })
                  }
                />
              ) : (
                <Select
                  className={layout.choice}
                  label={`Type of ${column.from}`}
                  value={column.type}
                  options={COLUMN_KINDS}
                  onChange={(type) => set(index, { type: type as ColumnKind })}
                />
              )}
            </div>
            <Misfits file={file} column={column} index={index} />
          </div>
        ))}
      {Boolean(reading.error) && <ErrorState error={reading.error} />}
    </FormDialog>
  );
}

/** Says what of a column is lost before it is. */
function Misfits({ file, column, index }: { file: CsvFile; column: ColumnMapping; index: number }) {
  const { to, type } = column;
  const wrong = useMemo(
    () =>
      to === SKIP
        ? null
        : findMisfits(
            file.rows.map((row) => row[index] ?? ""),
            type,
          ),
    [file, to, type, index],
  );
  if (!wrong) return null;
  return (
    <p className={layout.warning} role="status">
      {plural(wrong.count, "value")} will be left empty: “{wrong.first.slice(0, 40)}” in row{" "}
      {wrong.row} is not a {NOUNS[type]}.
    </p>
  );
}

const NOUNS: Record<ColumnKind, string> = {
  string: "text",
  number: "number",
  boolean: "boolean",
  date: "date",
};

/** Columns of the same name belong together; a new table gets all of them with guessed types. */
function guessMapping(file: CsvFile, table: DataTable | undefined): ColumnMapping[] {
  const taken: string[] = [];
  return file.names.map((from, index) => {
    if (table) {
      const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, "");
      const found = table.columns.find((column) => plain(column.name) === plain(from));
      return { from, to: found?.name ?? SKIP, type: found?.type ?? "string" };
    }
    const to = uniqueColumnName(from, taken);
    taken.push(to);
    return { from, to, type: guessColumnKind(file.rows.map((row) => row[index] ?? "")) };
  });
}
