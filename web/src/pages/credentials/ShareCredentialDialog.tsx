/** Which other projects' workflows may use a credential. */
import { useState } from "react";
import { Button, Checkbox, Dialog, ErrorState, Skeleton, toast, useAsyncAction } from "../../ui";
import layout from "../layout.module.css";
import { useProjects } from "../settings/projectApi";
import { type Credential, shareCredential, useCredential } from "./credentialApi";

export function ShareCredentialDialog({ credential, onClose }: { credential: Credential; onClose: () => void }) {
  const current = useCredential(credential.id);
  const projects = useProjects();
  const others = (projects.data ?? []).filter((project) => project.id !== credential.projectId);
  const [changed, setChanged] = useState<readonly string[] | null>(null);
  const task = useAsyncAction();
  const chosen = changed ?? current.data?.sharedWith ?? [];
  const toggle = (id: string, on: boolean) => setChanged(on ? [...chosen, id] : chosen.filter((one) => one !== id));
  const save = async () => {
    if (await task.run(() => shareCredential(credential.id, chosen))) {
      toast({ text: `Sharing updated for ${credential.name}`, tone: "good" });
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
        <p className={layout.quiet}>Workflows in the selected projects can use this credential. Its values stay hidden.</p>
        {(current.isPending || projects.isPending) && <Skeleton lines={3} />}
        {current.error && <ErrorState error={current.error} onRetry={() => void current.refetch()} />}
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
          <p className={layout.note}>No other projects yet. Create one in Settings.</p>
        )}
        {current.data && current.data.sharedWith === undefined && others.length > 0 && (
          <p className={layout.note}>You need to manage its project to share it.</p>
        )}
        {Boolean(task.error) && <ErrorState error={task.error} />}
      </div>
    </Dialog>
  );
}
