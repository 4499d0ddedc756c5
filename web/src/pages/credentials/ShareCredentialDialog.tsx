/** Which other projects' workflows may use a credential. */
import { useState } from "react";
import { useProjects } from "../../api/projects";
import { type Credential, shareCredential, useCredential } from "../../credentials/credentialApi";
import layout from "../../shared/layout.module.css";
import { Checkbox, ErrorState, FormDialog, Skeleton, toast } from "../../ui";

export function ShareCredentialDialog({
  credential,
  onClose,
}: {
  credential: Credential;
  onClose: () => void;
}) {
  const current = useCredential(credential.id);
  const projects = useProjects();
  const others = (projects.data ?? []).filter((project) => project.id !== credential.projectId);
  const [changed, setChanged] = useState<readonly string[] | null>(null);
  const chosen = changed ?? current.data?.sharedWith ?? [];
  const toggle = (id: string, on: boolean) =>
    setChanged(on ? [...chosen, id] : chosen.filter((one) => one !== id));
  const save = async () => {
    await shareCredential(credential.id, chosen);
    toast({ text: `Sharing updated for ${credential.name}`, tone: "good" });
  };
  return (
    <FormDialog
      title={`Share ${credential.name}`}
      size="small"
      action="Save"
      disabled={changed === null}
      onSubmit={save}
      onClose={onClose}
    >
      <p className={layout.quiet}>
        Workflows in the selected projects can use this credential. Its values stay hidden.
      </p>
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
    </FormDialog>
  );
}
