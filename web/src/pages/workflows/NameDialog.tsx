/** Asks for a name: of a new folder, or of something that gets another one. */
import { useState } from "react";
import { Button, Dialog, ErrorState, Field, Input, useAsyncAction } from "../../ui";
import layout from "../layout.module.css";

interface Props {
  title: string;
  action: string;
  label?: string;
  initial?: string;
  onClose: () => void;
  onDone: (name: string) => Promise<unknown>;
}

export function NameDialog({ title, action, label = "Name", initial = "", onClose, onDone }: Props) {
  const [name, setName] = useState(initial);
  const task = useAsyncAction();
  const submit = async () => {
    if (name.trim() === "" || !(await task.run(() => onDone(name.trim())))) return;
    onClose();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={task.busy} disabled={name.trim() === ""} onClick={submit}>
        {action}
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title={title} size="small" footer={footer}>
      <form
        className={layout.stack}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
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
        {Boolean(task.error) && <ErrorState error={task.error} />}
      </form>
    </Dialog>
  );
}
