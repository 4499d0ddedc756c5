/** Chooses the project something belongs to, where there is more than one. */

import { useProjects } from "../api/projects";
import { Field, Select } from "../ui";

interface Props {
  value: string | undefined;
  onChange: (id: string) => void;
  hint?: string;
  placeholder?: string;
}

export function ProjectField({ value, onChange, hint, placeholder = "Personal" }: Props) {
  const { data: projects = [] } = useProjects();
  if (projects.length <= 1) return null;
  return (
    <Field label="Project" hint={hint}>
      <Select
        label="Project"
        value={value}
        onChange={onChange}
        placeholder={placeholder}
        options={projects.map((one) => ({ value: one.id, label: one.name }))}
      />
    </Field>
  );
}
