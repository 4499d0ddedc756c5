/** Deletes everything that a memory knows about a user or session, once the name has been typed. */

import { useState } from "react";
import layout from "../../shared/layout.module.css";
import { Field, FormDialog, Input, plural, toast } from "../../ui";
import { deleteSubject, type Memory } from "./memoryApi";

interface SubjectDialogProps {
  memory: Memory;
  /** Empty where it is still to be entered. */
  subject: string;
  onClose: () => void;
}

export function SubjectDialog({ memory, subject: given, onClose }: SubjectDialogProps) {
  const [subject, setSubject] = useState(given);
  const [typed, setTyped] = useState("");
  const remove = async () => {
    const deleted = await deleteSubject(memory.id, subject);
    toast({ text: `${plural(deleted, "entry", "entries")} about ${subject} deleted` });
  };
  return (
    <FormDialog
      title={`Delete a user's data from ${memory.name}`}
      action="Delete everything"
      danger
      disabled={subject === "" || typed !== subject}
      onSubmit={remove}
      onClose={onClose}
    >
      <p className={layout.quiet}>
        Deletes all entries, vectors and waiting turns of the subject, and destroys the key of the
        copies in executions. This cannot be undone.
      </p>
      {given === "" && (
        <Field label="Subject" required hint="Exactly as the agent's node sets it.">
          <Input value={subject} onChange={(event) => setSubject(event.target.value)} />
        </Field>
      )}
      <Field label={given === "" ? "Subject again" : `Type ${given} to confirm`} required>
        <Input
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
