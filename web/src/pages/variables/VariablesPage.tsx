/** Values that workflows share. */
import { Pencil, Plus, Trash2, Variable as VariableMark } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { useMayChange } from "../../api/session";
import {
  attempt,
  Button,
  CopyButton,
  cx,
  Empty,
  IconButton,
  NothingFits,
  Page,
  Problem,
  SearchInput,
  Skeleton,
  Table,
  toast,
} from "../../ui";
import layout from "../layout.module.css";
import { useProjectNames } from "../settings/projectData";
import { deleteVariable, saveVariable, useVariables, type Variable } from "./data";
import { VariableDialog } from "./VariableDialog";

const COLUMNS = [
  { id: "key", label: "Name", width: "28%" },
  { id: "value", label: "Value" },
  { id: "project", label: "For", width: "180px" },
];

export default function VariablesPage() {
  const mayChange = useMayChange();
  const variables = useVariables();
  const projectName = useProjectNames();
  const [query, setQuery] = useSearchParams();
  const [doing, setDoing] = useState<{ variable: Variable | null } | null>(null);
  const text = query.get("q") ?? "";
  const all = variables.data ?? [];
  const found = all
    .filter((one) => `${one.key} ${one.value}`.toLowerCase().includes(text.toLowerCase()))
    .sort((one, other) => one.key.localeCompare(other.key));
  const remove = async (variable: Variable) => {
    if (!(await attempt(() => deleteVariable(variable.id)))) return;
    const undo = () => void attempt(() => saveVariable(null, variable.key, variable.value, variable.project?.id ?? null));
    toast({ text: `${variable.key} was deleted`, undo });
  };
  const create = mayChange && (
    <Button kind="primary" icon={Plus} onClick={() => setDoing({ variable: null })}>
      New variable
    </Button>
  );
  return (
    <Page
      title="Variables"
      text={
        <>
          Values that workflows share. Read one in any field as <code>{"{{ $vars.NAME }}"}</code>
        </>
      }
      actions={create}
    >
      {all.length > 0 && (
        <div className={layout.toolbar}>
          <SearchInput
            className={layout.search}
            label="Search variables"
            value={text}
            onChange={(value) => setQuery(value ? { q: value } : {}, { replace: true })}
          />
        </div>
      )}
      {variables.isPending && <Skeleton lines={5} />}
      {variables.error && <Problem error={variables.error} onRetry={() => void variables.refetch()} />}
      {variables.isSuccess && (
        <Table
          label="Variables"
          columns={COLUMNS}
          rows={found}
          rowKey={(row) => row.id}
          onOpen={mayChange ? (variable) => setDoing({ variable }) : undefined}
          render={(row, column) => {
            if (column === "key") {
              return (
                <span className={layout.row}>
                  <code className={layout.name}>{row.key}</code>
                  <CopyButton text={`{{ $vars.${row.key} }}`} label="Copy as expression" />
                </span>
              );
            }
            if (column === "value") {
              return row.value === "" ? (
                <span className={layout.faint}>empty</span>
              ) : (
                <div className={cx(layout.mono, layout.quiet)} style={{ overflowWrap: "anywhere" }}>
                  {row.value.length > 200 ? `${row.value.slice(0, 200)}…` : row.value}
                </div>
              );
            }
            return <span className={layout.quiet}>{row.project ? projectName(row.project.id) : "Every project"}</span>;
          }}
          actions={(row) =>
            mayChange && (
              <span className={layout.row}>
                <IconButton icon={Pencil} label={`Change ${row.key}`} size="small" onClick={() => setDoing({ variable: row })} />
                <IconButton icon={Trash2} label={`Delete ${row.key}`} size="small" onClick={() => void remove(row)} />
              </span>
            )
          }
          empty={
            all.length === 0 ? (
              <Empty
                icon={VariableMark}
                title="No variables yet"
                text="Keep here what several workflows use and what changes from place to place: an address, a channel, a limit. Change it once, and all of them follow."
                action={create}
              />
            ) : (
              <NothingFits text="No variable has this in its name or value." onClear={() => setQuery({})} />
            )
          }
        />
      )}
      {doing && <VariableDialog variable={doing.variable} onClose={() => setDoing(null)} />}
    </Page>
  );
}
