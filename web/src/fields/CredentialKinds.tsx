/** Which kind of credential a request is signed with: those that the node can use. */

import { kindOf } from "../pages/credentials/kinds";
import { Select } from "../ui";
import { useForm } from "./form";

/** Kinds that fit any service are chosen elsewhere in the form. */
const GENERIC = /^(http[A-Z]|oAuth[12]Api$)/;

interface CredentialKindsProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
}

export default function CredentialKinds({ value, onChange, label }: CredentialKindsProps) {
  const { type, readOnly } = useForm();
  const kinds = (type?.credentials ?? []).map((use) => use.kind).filter((kind) => !GENERIC.test(kind));
  const all = value !== "" && !kinds.includes(value) ? [...kinds, value] : kinds;
  const options = all.map((kind) => ({ value: kind, label: kindOf(kind).name, hint: kind }));
  return <Select value={value || undefined} onChange={onChange} options={options} label={label} disabled={readOnly} />;
}
