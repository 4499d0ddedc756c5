/** Which tags a workflow has, or several have in common; new ones are made by typing them. */
import { Plus } from "lucide-react";
import { useState } from "react";
import { Button, Chip, Dialog, ErrorState, Field, Input, plural, useAsyncAction } from "../../ui";
import layout from "../layout.module.css";
import { setTags, useTags } from "./workflowApi";
import { commonTags, mergeTags, type WorkflowRow } from "./workflowRows";

export function TagsDialog({ rows, onClose }: { rows: readonly WorkflowRow[]; onClose: () => void }) {
  const tags = useTags();
  const [names, setNames] = useState<readonly string[]>(() => commonTags(rows));
  const [text, setText] = useState("");
  const task = useAsyncAction();
  const known = tags.data ?? [];
  const offered = known
    .filter((tag) => !names.includes(tag.name) && tag.name.toLowerCase().includes(text.trim().toLowerCase()))
    .slice(0, 24);
  const isNew =
    text.trim() !== "" &&
    ![...known.map((tag) => tag.name), ...names].some((name) => name.toLowerCase() === text.trim().toLowerCase());
  const add = (name: string) => {
    setNames([...names, name]);
    setText("");
  };
  const save = async () => {
    const common = commonTags(rows);
    const made = [...known];
    for (const row of rows) await setTags(row.id, mergeTags(row, common, names), made);
  };
  const finish = async () => {
    if (await task.run(save)) onClose();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={task.busy} onClick={() => void finish()}>
        Save tags
      </Button>
    </>
  );
  return (
    <Dialog
      open
      onClose={onClose}
      title={rows.length === 1 ? `Tags of ${rows[0]?.name}` : `Tags of ${plural(rows.length, "workflow")}`}
      size="small"
      footer={footer}
    >
      <form
        className={layout.stack}
        onSubmit={(event) => {
          event.preventDefault();
          const [first] = offered;
          if (isNew) add(text.trim());
          else if (first && text.trim() !== "") add(first.name);
        }}
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
          {names.length === 0 && <span className={layout.quiet}>{rows.length === 1 ? "No tags yet." : "No common tags."}</span>}
        </div>
        <Field label="Add tag">
          <Input
            value={text}
            onChange={(event) => setText(event.target.value)}
            placeholder="Search or create a tag"
            maxLength={100}
            autoFocus
          />
        </Field>
        <div className={layout.chips}>
          {isNew && (
            <Button size="small" icon={Plus} type="submit">
              Create “{text.trim()}”
            </Button>
          )}
          {offered.map((tag) => (
            <Chip key={tag.id} label={tag.name} onClick={() => add(tag.name)} />
          ))}
        </div>
        {Boolean(task.error) && <ErrorState error={task.error} />}
      </form>
    </Dialog>
  );
}
