/** Which kind of credential a request is signed with: every kind that is known here or that a stored credential has. */

import { useCatalogue } from "../api/catalogue";
import { useCredentials } from "../credentials/credentialApi";
import { useCredentialTypes } from "../credentials/credentialTypes";
import { useForm } from "../store/formContext";
import { Select } from "../ui";

interface CredentialTypeSelectProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
}

export function CredentialTypeSelect({ value, onChange, label }: CredentialTypeSelectProps) {
  const { readOnly } = useForm();
  const catalogue = useCatalogue();
  const stored = useCredentials().data ?? [];
  const used = catalogue.all.flatMap((type) => type.credentials.map((use) => use.kind));
  const types = useCredentialTypes();
  const kinds = types.list([...used, ...stored.map((one) => one.type), ...(value ? [value] : [])]);
  const options = kinds.map((kind) => ({
    value: kind.id,
    label: kind.name,
    group: kind.group,
    ...(stored.some((one) => one.type === kind.id) && { hint: "saved" }),
  }));
  return (
    <Select
      value={value || undefined}
      onChange={onChange}
      options={options}
      label={label}
      disabled={readOnly}
    />
  );
}
