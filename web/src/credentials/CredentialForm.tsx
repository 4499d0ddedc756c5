/** The fields of a credential. What is saved is never shown again: a field that is left alone keeps what it has. */
import { useState } from "react";
import layout from "../shared/layout.module.css";
import {
  Button,
  Checkbox,
  Field,
  Input,
  NumberInput,
  Select,
  TextArea,
  useFormSubmitted,
} from "../ui";
import type { CredentialValues } from "./credentialFields";
import type { CredentialTypeField } from "./credentialTypes";

interface Props {
  fields: readonly CredentialTypeField[];
  values: CredentialValues;
  onChange: (values: CredentialValues) => void;
  problems: Record<string, string>;
  /** Nothing is kept yet. */
  isNew: boolean;
}

export function CredentialForm({ fields, values, onChange, problems, isNew }: Props) {
  const [more, setMore] = useState(false);
  const usual = fields.filter((field) => !field.advanced);
  const advanced = fields.filter((field) => field.advanced);
  const drawn = (field: CredentialTypeField, index: number) => (
    <CredentialInput
      key={field.name}
      field={field}
      value={values[field.name]}
      onChange={(value) => onChange({ ...values, [field.name]: value })}
      problem={problems[field.name]}
      isNew={isNew}
      focus={isNew && index === 0 && !field.advanced}
    />
  );
  return (
    <div className={layout.stack}>
      {usual.map(drawn)}
      {advanced.length > 0 && !more && (
        <div>
          <Button kind="quiet" size="small" onClick={() => setMore(true)}>
            More settings ({advanced.length})
          </Button>
        </div>
      )}
      {more && advanced.map(drawn)}
    </div>
  );
}

interface CredentialInputProps {
  field: CredentialTypeField;
  value: CredentialValues[string];
  onChange: (value: CredentialValues[string]) => void;
  problem?: string;
  isNew: boolean;
  /** It gets the focus when the form opens. */
  focus: boolean;
}

function CredentialInput({ field, value, onChange, problem, isNew, focus }: CredentialInputProps) {
  const isWrong = useFormSubmitted() && Boolean(problem);
  const text = typeof value === "string" ? value : "";
  const placeholder = isNew ? field.placeholder || undefined : "Unchanged";
  if (field.kind === "flag") {
    return <Checkbox checked={value === true} onChange={onChange} label={field.label} />;
  }
  return (
    <Field
      label={field.label}
      required={isNew && field.required}
      hint={field.hint || undefined}
      problem={problem}
    >
      {field.kind === "choice" ? (
        <Select
          label={field.label}
          value={text}
          onChange={onChange}
          placeholder={isNew ? "Default" : "Unchanged"}
          options={field.options.map((option) => ({ value: option, label: option }))}
        />
      ) : field.kind === "number" ? (
        <NumberInput
          value={typeof value === "number" ? value : undefined}
          onChange={onChange}
          placeholder={placeholder}
        />
      ) : field.kind === "longText" || field.kind === "json" ? (
        <TextArea
          mono
          value={text}
          onChange={(event) => onChange(event.target.value)}
          placeholder={placeholder}
          invalid={isWrong}
        />
      ) : (
        <Input
          type={field.role === "secret" ? "password" : "text"}
          value={text}
          onChange={(event) => onChange(event.target.value)}
          placeholder={placeholder}
          invalid={isWrong}
          autoComplete={field.role === "secret" ? "new-password" : "off"}
          data-1p-ignore
          autoFocus={focus}
        />
      )}
    </Field>
  );
}
