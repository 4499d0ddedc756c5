/** Gives a credential to another project. */
import { useState } from "react";
import { Button, Dialog, Field, Problem, Select, toast, useTask } from "../../ui";
import layout from "../layout.module.css";
import { useProjects } from "../settings/projectData";
import { type Credential, moveCredential } from "./data";

export function MoveDialog({ credential, onClose }: { credential: Credential; onClose: () => void }) {
  const projects = useProjects();
  const [project, setProject] = useState<string>();
  const task = useTask();
  const others = (projects.data ?? []).filter((one) => one.id !== credential.projectId);
  const move = async () => {
    if (!project || !(await task.run(() => moveCredential(credential.id, project)))) return;
    toast({ text: `${credential.name} was moved to ${others.find((one) => one.id === project)?.name}`, tone: "good" });
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
        <p className={layout.quiet}>It then belongs to that project. Workflows elsewhere that use it need it shared with them.</p>
        <Field label="Project">
          <Select
            label="Project"
            value={project}
            onChange={setProject}
            placeholder={others.length === 0 ? "There is no other project" : "Choose a project"}
            disabled={others.length === 0}
            options={others.map((one) => ({ value: one.id, label: one.name }))}
          />
        </Field>
        {Boolean(task.error) && <Problem error={task.error} />}
      </div>
    </Dialog>
  );
}
