/** Which other projects' workflows may use a credential. */
import { useState } from "react";
import { Button, Checkbox, Dialog, Problem, toast } from "../../ui";
import layout from "../layout.module.css";
import { useProjects } from "../settings/projectData";
import { useTask } from "../task";
import { type Credential, shareCredential } from "./data";

export function ShareDialog({ credential, onClose }: { credential: Credential; onClose: () => void }) {
  const projects = useProjects();
  const others = (projects.data ?? []).filter((project) => project.id !== credential.projectId);
  const [chosen, setChosen] = useState<readonly string[]>(credential.sharedWith ?? []);
  const task = useTask();
  const toggle = (id: string, on: boolean) => setChosen(on ? [...chosen, id] : chosen.filter((one) => one !== id));
  const save = async () => {
    if (await task.run(() => shareCredential(credential.id, chosen))) {
      toast({ text: `Sharing of ${credential.name} was changed`, tone: "good" });
      onClose();
    }
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={task.busy} onClick={save} disabled={others.length === 0}>
        Save
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title={`Share ${credential.name}`} size="small" footer={footer}>
      <div className={layout.stack}>
        <p className={layout.quiet}>Workflows of the chosen projects can use it. Nobody sees what it holds.</p>
        {others.map((project) => (
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
        {credential.sharedWith === undefined && others.length > 0 && (
          <p className={layout.faint}>Saving lets in exactly the projects that are chosen here, whatever was shared before.</p>
        )}
        {Boolean(task.error) && <Problem error={task.error} />}
      </div>
    </Dialog>
  );
}
