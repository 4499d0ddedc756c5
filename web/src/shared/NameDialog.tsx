/** Asks for a name: of a new folder, or of something that gets another one. */
import { useState } from "react";
import { Field, FormDialog, Input } from "../ui";

interface Props {
  title: string;
  action: string;
  label?: string;
  initial?: string;
  onClose: () => void;
  onDone: (name: string) => Promise<unknown>;
}

export function NameDialog({
  title,
  action,
  label = "Name",
  initial = "",
  onClose,
  onDone,
}: Props) {
  const [name, setName] = useState(initial);
  const submit = async () => {
    await onDone(name.trim());
  };
  return (
    <FormDialog
      title={title}
      size="small"
      action={action}
      disabled={name.trim() === ""}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={label}>
        <Input
          value={name}
          onChange={(event) => setName(event.target.value)}
          onFocus={(event) => event.target.select()}
          maxLength={128}
          autoFocus
        />
      </Field>
    </FormDialog>
  );
}
