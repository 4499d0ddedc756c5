/** Which tags a workflow has, or several have in common; new ones are made by typing them. */
import { Plus } from "lucide-react";
import { useState } from "react";
import layout from "../../shared/layout.module.css";
import { Button, Chip, Field, FormDialog, Input, plural } from "../../ui";
import { setTags, useTags } from "../../workflows/workflowApi";
import { commonTags, mergeTags, type WorkflowRow } from "../../workflows/workflowRows";

export function TagsDialog({
  rows,
  onClose,
}: {
  rows: readonly WorkflowRow[];
  onClose: () => void;
}) {
  const tags = useTags();
  const [names, setNames] = useState<readonly string[]>(() => commonTags(rows));
  const [text, setText] = useState("");
  const known = tags.data ?? [];
  const offered = known
    .filter(
      (tag) =>
        !names.includes(tag.name) && tag.name.toLowerCase().includes(text.trim().toLowerCase()),
    )
    .slice(0, 24);
  const isNew =
    text.trim() !== "" &&
    ![...known.map((tag) => tag.name), ...names].some(
      (name) => name.toLowerCase() === text.trim().toLowerCase(),
    );
  const add = (name: string) => {
    setNames([...names, name]);
    setText("");
  };
  const save = async () => {
    const common = commonTags(rows);
    const made = [...known];
    for (const row of rows) await setTags(row.id, mergeTags(row, common, names), made);
  };
  const addTyped = () => {
    const [first] = offered;
    if (isNew) add(text.trim());
    else if (first && text.trim() !== "") add(first.name);
  };
  return (
    <FormDialog
      title={
        rows.length === 1
          ? `Tags of ${rows[0]?.name}`
          : `Tags of ${plural(rows.length, "workflow")}`
      }
      size="small"
      action="Save tags"
      onSubmit={save}
      onClose={onClose}
    >
      <div className={layout.chips}>
        {names.map((name) => (
          <Chip
            key={name}
            label={name}
            tone="accent"
            onRemove={() => setNames(names.filter((one) => one !== name))}
            removeLabel={`Remove ${name}`}
          />
        ))}
        {names.length === 0 && (
          <span className={layout.quiet}>
            {rows.length === 1 ? "No tags yet." : "No common tags."}
          </span>
        )}
      </div>
      <Field label="Add tag">
        <Input
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
            event.preventDefault();
            addTyped();
          }}
          placeholder="Search or create a tag"
          maxLength={100}
          autoFocus
        />
      </Field>
      <div className={layout.chips}>
        {isNew && (
          <Button size="small" icon={Plus} onClick={addTyped}>
            Create “{text.trim()}”
          </Button>
        )}
        {offered.map((tag) => (
          <Chip key={tag.id} label={tag.name} onClick={() => add(tag.name)} />
        ))}
      </div>
    </FormDialog>
  );
}
