/** Makes or changes a variable. */
import { useState } from "react";
import { useIsAdmin } from "../../api/session";
import { Button, Dialog, Field, Input, Problem, Select, TextArea, useTask } from "../../ui";
import layout from "../layout.module.css";
import { useProjects } from "../settings/projectData";
import { keyProblem, LONGEST_KEY, LONGEST_VALUE, saveVariable, type Variable } from "./data";

/** Stands for "no project" in the list, which has texts only. */
const EVERYBODY = "-";

export function VariableDialog({ variable, onClose }: { variable: Variable | null; onClose: () => void }) {
  const projects = useProjects();
  const mayAll = useIsAdmin();
  const [key, setKey] = useState(variable?.key ?? "");
  const [value, setValue] = useState(variable?.value ?? "");
  const [project, setProject] = useState<string>(variable ? (variable.project?.id ?? EVERYBODY) : mayAll ? EVERYBODY : "");
  const [asked, setAsked] = useState(false);
  const task = useTask();
  const save = async () => {
    setAsked(true);
    if (keyProblem(key) || project === "") return;
    if (await task.run(() => saveVariable(variable?.id ?? null, key, value, project === EVERYBODY ? null : project))) onClose();
  };
  const options = [
    ...(mayAll || variable?.project === null ? [{ value: EVERYBODY, label: "Every project" }] : []),
    ...(projects.data ?? []).map((one) => ({ value: one.id, label: one.name })),
  ];
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={task.busy} onClick={save}>
        Save
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title={variable ? `Variable ${variable.key}` : "New variable"} size="small" footer={footer}>
      <div className={layout.stack}>
        <Field
          label="Name"
          required
          error={asked ? keyProblem(key) : undefined}
          hint={key ? `Read it as {{ $vars.${key} }}` : "Such as API_URL"}
        >
          <Input
            value={key}
            onChange={(event) => setKey(event.target.value.trim())}
            maxLength={LONGEST_KEY}
            className={layout.mono}
            autoFocus={!variable}
          />
        </Field>
        <Field
          label="Value"
          hint={`At most ${LONGEST_VALUE} letters. Secrets belong into a credential: a value can be seen here and in executions.`}
        >
          <TextArea
            mono
            value={value}
            onChange={(event) => setValue(event.target.value)}
            maxLength={LONGEST_VALUE}
            autoFocus={Boolean(variable)}
          />
        </Field>
        <Field label="For" error={asked && project === "" ? "Choose a project: only admins make variables for all." : undefined}>
          <Select
            label="For"
            value={project || undefined}
            onChange={setProject}
            options={options}
            placeholder="Choose a project"
            disabled={Boolean(variable?.project)}
          />
        </Field>
        {Boolean(task.error) && <Problem error={task.error} />}
      </div>
    </Dialog>
  );
}
