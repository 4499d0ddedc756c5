/** Values that workflows share. */
import { Pencil, Plus, Trash2, Variable as VariableMark } from "lucide-react";
import { useState } from "react";
import { useProjectNames } from "../../api/projects";
import { useCanEdit } from "../../api/session";
import { SearchListPage } from "../../shared/ListPage";
import layout from "../../shared/layout.module.css";
import { Button, CopyButton, cx, EmptyState, IconButton, toast, tryAction } from "../../ui";
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
  const [doing, setDoing] = useState<{ variable: VariableRow | null } | null>(null);
  const remove = async (variable: VariableRow) => {
    if (!(await tryAction(() => deleteVariable(variable.id)))) return;
    const undo = () =>
      void tryAction(() =>
        saveVariable(null, variable.key, variable.value, variable.project?.id ?? null),
      );
    toast({ text: `${variable.key} deleted`, undo });
  };
  const create = canEdit && (
    <Button kind="primary" icon={Plus} onClick={() => setDoing({ variable: null })}>
      New variable
    </Button>
  );
  return (
    <SearchListPage
      text={
        <>
          Values shared by workflows. Use one in any field as <code>{"{{ $vars.NAME }}"}</code>
        </>
      }
      actions={create}
      query={variables}
      lines={5}
      searchLabel="Search variables"
      textOf={(one) => `${one.key} ${one.value}`}
      order={(one, other) => one.key.localeCompare(other.key)}
      label="Variables"
      columns={COLUMNS}
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
        return (
          <span className={layout.quiet}>
            {row.project ? projectName(row.project.id) : "All projects"}
          </span>
        );
      }}
      rowActions={(row) =>
        canEdit && (
          <span className={layout.row}>
            <IconButton
              icon={Pencil}
              label={`Edit ${row.key}`}
              size="small"
              onClick={() => setDoing({ variable: row })}
            />
            <IconButton
              icon={Trash2}
              label={`Delete ${row.key}`}
              size="small"
              onClick={() => void remove(row)}
            />
          </span>
        )
      }
      empty={
        <EmptyState
          icon={VariableMark}
          title="No variables yet"
          text="Store values that several workflows use, such as a URL, a channel or a limit. Update them in one place."
          action={create}
        />
      }
      noMatches="No variables match this search."
    >
      {doing && <VariableDialog variable={doing.variable} onClose={() => setDoing(null)} />}
    </SearchListPage>
  );
}
