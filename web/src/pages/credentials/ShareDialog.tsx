/** Which other projects' workflows may use a credential. */
import { useState } from "react";
import { Button, Checkbox, Dialog, Problem, Skeleton, toast, useTask } from "../../ui";
import layout from "../layout.module.css";
import { useProjects } from "../settings/projectData";
import { type Credential, shareCredential, useCredential } from "./data";

export function ShareDialog({ credential, onClose }: { credential: Credential; onClose: () => void }) {
  const current = useCredential(credential.id);
  const projects = useProjects();
  const others = (projects.data ?? []).filter((project) => project.id !== credential.projectId);
  const [changed, setChanged] = useState<readonly string[] | null>(null);
  const task = useTask();
  const chosen = changed ?? current.data?.sharedWith ?? [];
  const toggle = (id: string, on: boolean) => setChanged(on ? [...chosen, id] : chosen.filter((one) => one !== id));
  const save = async () => {
    if (await task.run(() => shareCredential(credential.id, chosen))) {
      toast({ text: `Sharing of ${credential.name} was changed`, tone: "good" });
      onClose();
    }
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={task.busy} onClick={save} disabled={changed === null}>
        Save
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title={`Share ${credential.name}`} size="small" footer={footer}>
      <div className={layout.stack}>
        <p className={layout.quiet}>Workflows of the chosen projects can use it. Nobody sees what it holds.</p>
        {(current.isPending || projects.isPending) && <Skeleton lines={3} />}
        {current.error && <Problem error={current.error} onRetry={() => void current.refetch()} />}
        {current.data &&
          others.map((project) => (
            <Checkbox
              key={project.id}
              checked={chosen.includes(project.id)}
              onChange={(on) => toggle(project.id, on)}
              label={project.type === "personal" ? `${project.name} (personal)` : project.name}
            />
          ))}
        {projects.isSuccess && others.length === 0 && (
          <p className={layout.note}>There is no other project yet. Make one under Settings.</p>
        )}
        {current.data && current.data.sharedWith === undefined && others.length > 0 && (
          <p className={layout.note}>Only those who manage its project share it.</p>
        )}
        {Boolean(task.error) && <Problem error={task.error} />}
      </div>
    </Dialog>
  );
}
