/** Which kind of credential a request is signed with: every kind that is known here or that a stored credential has. */

import { useCatalogue } from "../api/catalogue";
import { useCredentials } from "../pages/credentials/data";
import { kindsWith } from "../pages/credentials/kinds";
import { Select } from "../ui";
import { useForm } from "./form";

interface CredentialKindsProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
}

export function CredentialKinds({ value, onChange, label }: CredentialKindsProps) {
  const { readOnly } = useForm();
  const catalogue = useCatalogue();
  const stored = useCredentials().data ?? [];
  const used = catalogue.all.flatMap((type) => type.credentials.map((use) => use.kind));
  const kinds = kindsWith([...used, ...stored.map((one) => one.type), ...(value ? [value] : [])]);
  const options = kinds.map((kind) => ({
    value: kind.type,
    label: kind.name,
    group: kind.group,
    ...(stored.some((one) => one.type === kind.type) && { hint: "stored here" }),
  }));
  return <Select value={value || undefined} onChange={onChange} options={options} label={label} disabled={readOnly} />;
}
