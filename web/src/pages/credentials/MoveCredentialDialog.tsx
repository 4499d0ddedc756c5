/** Gives a credential to another project. */
import { useState } from "react";
import { useProjects } from "../../api/projects";
import { type Credential, moveCredential } from "../../credentials/credentialApi";
import layout from "../../shared/layout.module.css";
import { Field, FormDialog, Select, toast } from "../../ui";

export function MoveCredentialDialog({
  credential,
  onClose,
}: {
  credential: Credential;
  onClose: () => void;
}) {
  const projects = useProjects();
  const [project, setProject] = useState<string>();
  const others = (projects.data ?? []).filter((one) => one.id !== credential.projectId);
  const move = async () => {
    if (!project) return;
    await moveCredential(credential.id, project);
    toast({
      text: `${credential.name} moved to ${others.find((one) => one.id === project)?.name}`,
      tone: "good",
    });
  };
  return (
    <FormDialog
      title={`Move ${credential.name}`}
      size="small"
      action="Move"
      disabled={!project}
      onSubmit={move}
      onClose={onClose}
    >
      <p className={layout.quiet}>
        The credential will belong to the selected project. Share it with other projects whose
        workflows use it.
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
    </FormDialog>
  );
}
