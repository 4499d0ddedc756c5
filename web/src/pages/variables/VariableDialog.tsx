/** Makes or changes a variable. */
import { useState } from "react";
import { useProjects } from "../../api/projects";
import { useIsAdmin } from "../../api/session";
import layout from "../../shared/layout.module.css";
import { Field, FormDialog, Input, Select, TextArea } from "../../ui";
import {
  keyProblem,
  MAX_KEY_CHARS,
  MAX_VALUE_CHARS,
  saveVariable,
  type VariableRow,
} from "./variableApi";

/** Stands for "no project" in the list, which has texts only. */
const ALL_PROJECTS = "-";

export function VariableDialog({
  variable,
  onClose,
}: {
  variable: VariableRow | null;
  onClose: () => void;
}) {
  const projects = useProjects();
  const mayAll = useIsAdmin();
  const [key, setKey] = useState(variable?.key ?? "");
  const [value, setValue] = useState(variable?.value ?? "");
  const [project, setProject] = useState<string>(
    variable ? (variable.project?.id ?? ALL_PROJECTS) : mayAll ? ALL_PROJECTS : "",
  );
  const save = () =>
    saveVariable(variable?.id ?? null, key, value, project === ALL_PROJECTS ? null : project);
  const options = [
    ...(mayAll || variable?.project === null
      ? [{ value: ALL_PROJECTS, label: "All projects" }]
      : []),
    ...(projects.data ?? []).map((one) => ({ value: one.id, label: one.name })),
  ];
  return (
    <FormDialog
      title={variable ? `Variable ${variable.key}` : "New variable"}
      size="small"
      action="Save"
      invalid={Boolean(keyProblem(key)) || project === ""}
      onSubmit={save}
      onClose={onClose}
    >
      <Field
        label="Name"
        required
        problem={keyProblem(key)}
        hint={key ? `Use it as {{ $vars.${key} }}` : "For example API_URL"}
      >
        <Input
          value={key}
          onChange={(event) => setKey(event.target.value.trim())}
          maxLength={MAX_KEY_CHARS}
          className={layout.mono}
          autoFocus={!variable}
        />
      </Field>
      <Field
        label="Value"
        hint={`At most ${MAX_VALUE_CHARS} characters. Store secrets in a credential: variable values are visible here and in executions.`}
      >
        <TextArea
          mono
          value={value}
          onChange={(event) => setValue(event.target.value)}
          maxLength={MAX_VALUE_CHARS}
          autoFocus={Boolean(variable)}
        />
      </Field>
      <Field
        label="Project"
        problem={
          project === ""
            ? "Select a project. Only admins can create variables for all projects."
            : undefined
        }
      >
        <Select
          label="Project"
          value={project || undefined}
          onChange={setProject}
          options={options}
          placeholder="Select a project"
          disabled={Boolean(variable?.project)}
        />
      </Field>
    </FormDialog>
  );
}
