/** The tags of the workflow, and a small window to choose and make them. */

import { useQuery } from "@tanstack/react-query";
import { Plus, Tag as TagIcon } from "lucide-react";
import { useState } from "react";
import { api, fetchAll, queryClient } from "../api/client";
import { useCanEdit } from "../api/session";
import { urlPath } from "../api/url";
import type { WorkflowTag } from "../api/workflowDocument";
import { useEditor } from "../store/editorStore";
import { errorSentences, saveWorkflow } from "../store/saveWorkflow";
import { Button, Checkbox, Chip, Input, Popover, toast, useIsNarrow } from "../ui";
import css from "./TagsButton.module.css";

const NO_TAGS: readonly WorkflowTag[] = [];
/** How many tags have room, in a wide window and in a narrow one. */
const MAX_SHOWN = { wide: 3, narrow: 1 };
const NARROW_WIDTH = 1160;

export function TagsButton() {
  const tags = useEditor((state) => state.workflow.tags) ?? NO_TAGS;
  const canEdit = useCanEdit();
  const shown = useIsNarrow(NARROW_WIDTH) ? MAX_SHOWN.narrow : MAX_SHOWN.wide;
  return (
    <span className={css.tags}>
      {tags.slice(0, shown).map((tag) => (
        <Chip key={tag.id} label={tag.name} />
      ))}
      {tags.length > shown && <Chip label={`+${tags.length - shown}`} />}
      {canEdit && (
        <Popover
          trigger={
            <Button
              kind="quiet"
              size="small"
              icon={tags.length > 0 ? TagIcon : Plus}
              aria-label="Edit tags"
            >
              {tags.length > 0 ? "" : "Tag"}
            </Button>
          }
        >
          <TagPicker chosen={tags} />
        </Popover>
      )}
    </span>
  );
}

function TagPicker({ chosen }: { chosen: readonly WorkflowTag[] }) {
  const [text, setText] = useState("");
  const known = useQuery({ queryKey: ["tags"], queryFn: () => fetchAll<WorkflowTag>("/tags") });
  const wanted = text.trim().toLowerCase();
  const shown = (known.data ?? []).filter((tag) => tag.name.toLowerCase().includes(wanted));
  const isNew = wanted !== "" && !known.data?.some((tag) => tag.name.toLowerCase() === wanted);
  const put = async (tags: readonly WorkflowTag[]) => {
    try {
      if (!useEditor.getState().workflow.id && !(await saveWorkflow())) return;
      const { id } = useEditor.getState().workflow;
      const kept = await api.put<WorkflowTag[]>(
        urlPath`/workflows/${id}/tags`,
        tags.map((tag) => ({ id: tag.id })),
      );
      useEditor.getState().applyServerFields({ tags: Array.isArray(kept) ? kept : tags });
      void queryClient.invalidateQueries({ queryKey: ["workflows"] });
    } catch (error) {
      toast({ text: `Could not update tags. ${errorSentences(error)}`, tone: "bad" });
    }
  };
  const make = async () => {
    if (!isNew) return;
    try {
      const tag = await api.post<WorkflowTag>("/tags", { name: text.trim() });
      setText("");
      void queryClient.invalidateQueries({ queryKey: ["tags"] });
      await put([...chosen, tag]);
    } catch (error) {
      toast({ text: `Could not create tag. ${errorSentences(error)}`, tone: "bad" });
    }
  };
  const toggle = (tag: WorkflowTag, isOn: boolean) =>
    put(isOn ? [...chosen, tag] : chosen.filter((one) => one.id !== tag.id));
  return (
    <div className={css.chooser}>
      <Input
        value={text}
        aria-label="Find or create a tag"
        placeholder="Find or create a tag"
        autoFocus
        maxLength={24}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === "Enter" && void make()}
      />
      <div className={css.list}>
        {shown.map((tag) => (
          <Checkbox
            key={tag.id}
            label={tag.name}
            checked={chosen.some((one) => one.id === tag.id)}
            onChange={(isOn) => void toggle(tag, isOn)}
          />
        ))}
        {known.data && known.data.length === 0 && !isNew && (
          <p className={css.none}>No tags yet. Type a name to create one.</p>
        )}
      </div>
      {isNew && (
        <Button icon={Plus} size="small" onClick={() => void make()}>
          Create “{text.trim()}”
        </Button>
      )}
    </div>
  );
}
