/** Gives a credential to another project. */
import { useState } from "react";
import { Button, Dialog, ErrorState, Field, Select, toast, useAsyncAction } from "../../ui";
import layout from "../layout.module.css";
import { useProjects } from "../settings/projectApi";
import { type Credential, moveCredential } from "./credentialApi";

export function MoveCredentialDialog({ credential, onClose }: { credential: Credential; onClose: () => void }) {
  const projects = useProjects();
  const [project, setProject] = useState<string>();
  const task = useAsyncAction();
  const others = (projects.data ?? []).filter((one) => one.id !== credential.projectId);
  const move = async () => {
    if (!project || !(await task.run(() => moveCredential(credential.id, project)))) return;
    toast({ text: `${credential.name} moved to ${others.find((one) => one.id === project)?.name}`, tone: "good" });
    onClose();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={task.busy} disabled={!project} onClick={move}>
        Move
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title={`Move ${credential.name}`} size="small" footer={footer}>
      <div className={layout.stack}>
        <p className={layout.quiet}>
          The credential will belong to the selected project. Share it with other projects whose workflows use it.
        </p>
        <Field label="Project">
          <Select
            label="Project"
            value={project}
            onChange={setProject}
            placeholder={others.length === 0 ? "No other projects" : "Select a project"}
            disabled={others.length === 0}
            options={others.map((one) => ({ value: one.id, label: one.name }))}
          />
        </Field>
        {Boolean(task.error) && <ErrorState error={task.error} />}
      </div>
    </Dialog>
  );
}
