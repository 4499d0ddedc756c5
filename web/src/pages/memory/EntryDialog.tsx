/** One entry: where it comes from, and its correction, which is refused if somebody else was quicker. */

import { RotateCcw, Trash2, UserX } from "lucide-react";
import { useState } from "react";
import { ApiError } from "../../api/client";
import layout from "../../shared/layout.module.css";
import {
  Button,
  confirm,
  Field,
  FormDialog,
  Input,
  Menu,
  Select,
  TextArea,
  Time,
  toast,
  tryAction,
} from "../../ui";
import { EntryConflict } from "./EntryConflict";
import { EntrySource } from "./EntrySource";
import { changeEntry, deleteEntry, findEntry, type MemoryEntry } from "./memoryApi";
import {
  changesOf,
  type EntryForm,
  formOf,
  formProblems,
  KIND_LABELS,
  KINDS,
  reverseOf,
} from "./memoryEntries";

interface EntryDialogProps {
  memoryId: string;
  entry: MemoryEntry;
  canEdit: boolean;
  onOpen: (entry: MemoryEntry) => void;
  /** Deletes all about the subject. */
  onForget: (subject: string) => void;
  onClose: () => void;
}

export function EntryDialog(props: EntryDialogProps) {
  const { memoryId, entry: given, canEdit, onOpen, onForget, onClose } = props;
  const [entry, setEntry] = useState(given);
  const [form, setForm] = useState<EntryForm>(() => formOf(given));
  const [theirs, setTheirs] = useState<MemoryEntry | null>(null);
  const change = changesOf(entry, form);
  const problems = formProblems(entry, form);
  const isChanged = Object.keys(change).length > 0;
  const set = (part: Partial<EntryForm>) => setForm((now) => ({ ...now, ...part }));

  const save = async () => {
    // A conflict that was looked at is overwritten on purpose.
    const base = theirs ?? entry;
    try {
      const saved = await changeEntry(memoryId, entry.id, { ...change, version: base.version });
      const back = reverseOf(base, change);
      const undo = () =>
        void tryAction(() => changeEntry(memoryId, entry.id, { ...back, version: saved.version }));
      toast({
        text: "Entry corrected",
        tone: "good",
        undo: Object.keys(back).length > 0 ? undo : undefined,
      });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "MEMORY_STALE")) throw error;
      const found = await findEntry(memoryId, entry);
      if (!found) throw error;
      setTheirs(found);
      return false;
    }
  };
  const takeTheirs = () => {
    if (!theirs) return;
    setEntry(theirs);
    setForm(formOf(theirs));
    setTheirs(null);
  };
  const remove = async () => {
    const sure = await confirm({
      title: "Delete this entry?",
      text: "Agents no longer find it. This cannot be undone.",
      action: "Delete",
      danger: true,
    });
    if (!sure || !(await tryAction(() => deleteEntry(memoryId, entry.id)))) return;
    toast({ text: "Entry deleted" });
    onClose();
  };
  const restore = async () => {
    const isDone = await tryAction(() =>
      changeEntry(memoryId, entry.id, { version: entry.version, restore: true }),
    );
    if (!isDone) return;
    toast({ text: "Entry restored. Agents find it again.", tone: "good" });
    onClose();
  };
  const openNewer = () =>
    tryAction(async () => {
      const newer = await findEntry(memoryId, { ...entry, id: entry.supersededBy ?? "" });
      if (newer) onOpen(newer);
      else toast({ text: "The entry that replaced it was deleted" });
    });

  return (
    <FormDialog
      title={`${KIND_LABELS[entry.kind]} about ${entry.subject}`}
      size="large"
      action={
        canEdit ? (theirs ? `Save over version ${theirs.version}` : "Save correction") : undefined
      }
      danger={theirs !== null}
      disabled={!isChanged}
      invalid={Object.keys(problems).length > 0}
      aside={
        <Menu
          align="start"
          trigger={
            <Button kind="quiet" icon={Trash2}>
              Delete
            </Button>
          }
          items={[
            { label: "This entry", icon: Trash2, onSelect: () => void remove() },
            {
              label: `Everything about ${entry.subject}`,
              icon: UserX,
              danger: true,
              onSelect: () => onForget(entry.subject),
            },
          ]}
        />
      }
      onSubmit={save}
      onClose={onClose}
    >
      {entry.supersededBy !== null && (
        <div className={layout.note}>
          <div className={layout.row}>
            <span className={layout.fill}>
              A newer entry replaced it, so agents no longer find it.
            </span>
            <Button size="small" onClick={() => void openNewer()}>
              Show the newer one
            </Button>
            {canEdit && (
              <Button size="small" icon={RotateCcw} onClick={() => void restore()}>
                Restore
              </Button>
            )}
          </div>
        </div>
      )}
      {theirs && <EntryConflict theirs={theirs} mine={form.text} onTake={takeTheirs} />}
      <Field label="Text" problem={problems.text}>
        <TextArea
          rows={5}
          value={form.text}
          readOnly={!canEdit}
          onChange={(event) => set({ text: event.target.value })}
        />
      </Field>
      <div className={layout.columns}>
        <Field label="Kind">
          <Select
            label="Kind"
            value={form.kind}
            disabled={!canEdit}
            options={KINDS.map(({ value }) => ({ value, label: KIND_LABELS[value] }))}
            onChange={(kind) => set({ kind: kind as EntryForm["kind"] })}
          />
        </Field>
        <Field label="Tags" problem={problems.tags} hint="Separated by commas.">
          <Input
            value={form.tags}
            readOnly={!canEdit}
            onChange={(event) => set({ tags: event.target.value })}
          />
        </Field>
        <Field label="Valid from" problem={problems.validFrom}>
          <Input
            type="datetime-local"
            value={form.validFrom}
            readOnly={!canEdit}
            onChange={(event) => set({ validFrom: event.target.value })}
          />
        </Field>
        <Field label="Expires" problem={problems.expiresAt} hint="Empty keeps it.">
          <Input
            type="datetime-local"
            value={form.expiresAt}
            readOnly={!canEdit}
            onChange={(event) => set({ expiresAt: event.target.value })}
          />
        </Field>
      </div>
      <EntrySource source={entry.source} />
      <p className={layout.faint}>
        Version {entry.version}, added <Time at={entry.createdAt} />
        {entry.version > 1 && (
          <>
            , changed <Time at={entry.updatedAt} />
          </>
        )}
      </p>
    </FormDialog>
  );
}
