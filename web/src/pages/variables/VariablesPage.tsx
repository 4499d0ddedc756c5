/** Values that workflows share. */
import { Pencil, Plus, Trash2, Variable as VariableMark } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { useCanEdit } from "../../api/session";
import {
  Button,
  CopyButton,
  cx,
  EmptyState,
  ErrorState,
  IconButton,
  NoMatches,
  Page,
  SearchInput,
  Skeleton,
  Table,
  toast,
  tryAction,
} from "../../ui";
import layout from "../layout.module.css";
import { useProjectNames } from "../settings/projectApi";
import { VariableDialog } from "./VariableDialog";
import { deleteVariable, saveVariable, useVariables, type VariableRow } from "./variableApi";

const COLUMNS = [
  { id: "key", label: "Name", width: "28%" },
  { id: "value", label: "Value" },
  { id: "project", label: "Project", width: "180px" },
];

export default function VariablesPage() {
  const canEdit = useCanEdit();
  const variables = useVariables();
  const projectName = useProjectNames();
  const [query, setQuery] = useSearchParams();
  const [doing, setDoing] = useState<{ variable: VariableRow | null } | null>(null);
  const text = query.get("q") ?? "";
  const all = variables.data ?? [];
  const found = all
    .filter((one) => `${one.key} ${one.value}`.toLowerCase().includes(text.toLowerCase()))
    .sort((one, other) => one.key.localeCompare(other.key));
  const remove = async (variable: VariableRow) => {
    if (!(await tryAction(() => deleteVariable(variable.id)))) return;
    const undo = () => void tryAction(() => saveVariable(null, variable.key, variable.value, variable.project?.id ?? null));
    toast({ text: `${variable.key} deleted`, undo });
  };
  const create = canEdit && (
    <Button kind="primary" icon={Plus} onClick={() => setDoing({ variable: null })}>
      New variable
    </Button>
  );
  return (
    <Page
      title="Variables"
      text={
        <>
          Values shared by workflows. Use one in any field as <code>{"{{ $vars.NAME }}"}</code>
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
      {variables.error && <ErrorState error={variables.error} onRetry={() => void variables.refetch()} />}
      {variables.isSuccess && (
        <Table
          label="Variables"
          columns={COLUMNS}
          rows={found}
          rowKey={(row) => row.id}
          onOpen={canEdit ? (variable) => setDoing({ variable }) : undefined}
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
                <span className={layout.faint}>Empty</span>
              ) : (
                <div className={cx(layout.mono, layout.quiet)} style={{ overflowWrap: "anywhere" }}>
                  {row.value.length > 200 ? `${row.value.slice(0, 200)}…` : row.value}
                </div>
              );
            }
            return <span className={layout.quiet}>{row.project ? projectName(row.project.id) : "All projects"}</span>;
          }}
          actions={(row) =>
            canEdit && (
              <span className={layout.row}>
                <IconButton icon={Pencil} label={`Edit ${row.key}`} size="small" onClick={() => setDoing({ variable: row })} />
                <IconButton icon={Trash2} label={`Delete ${row.key}`} size="small" onClick={() => void remove(row)} />
              </span>
            )
          }
          empty={
            all.length === 0 ? (
              <EmptyState
                icon={VariableMark}
                title="No variables yet"
                text="Store values that several workflows use, such as a URL, a channel or a limit. Update them in one place."
                action={create}
              />
            ) : (
              <NoMatches text="No variables match this search." onClear={() => setQuery({})} />
            )
          }
        />
      )}
      {doing && <VariableDialog variable={doing.variable} onClose={() => setDoing(null)} />}
    </Page>
  );
}
