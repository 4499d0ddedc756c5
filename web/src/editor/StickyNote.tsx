/** A note on the canvas: Markdown on a coloured ground, behind the nodes it describes. */
import { type NodeProps, NodeResizer } from "@xyflow/react";
import { memo, useState } from "react";
import { findNode, setParameter, updateNode } from "../graph/document";
import { toDocument } from "../graph/geometry";
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { cx, Markdown } from "../ui";
import type { NoteNode } from "./flowModel";
import css from "./StickyNote.module.css";

export const NOTE_COLOURS = ["Yellow", "Orange", "Red", "Green", "Blue", "Violet", "Gray"] as const;

export const StickyNote = memo(function StickyNote({ data, selected }: NodeProps<NoteNode>) {
  const { node } = data;
  const isEditing = useCanvas((state) => state.renaming === node.name);
  const isReadOnly = useEditor((state) => state.readOnly);
  const change = useCanvas((state) => state.difference?.nodes.get(node.name));
  const content = typeof node.parameters.content === "string" ? node.parameters.content : "";
  const colour =
    typeof node.parameters.color === "number" &&
    node.parameters.color >= 1 &&
    node.parameters.color <= 7
      ? node.parameters.color
      : 1;
  return (
    <div
      className={cx(css.note, selected && css.selected)}
      data-change={change}
      style={{ background: `var(--note-${colour})` }}
    >
      {!isReadOnly && (
        <NodeResizer
          isVisible={selected}
          minWidth={120}
          minHeight={64}
          lineClassName={css.edge}
          handleClassName={css.corner}
          onResizeEnd={(_, box) =>
            useEditor.getState().change("Resize note", (document) =>
              updateNode(document, node.name, (note) => ({
                ...note,
                position: toDocument(box),
                parameters: {
                  ...note.parameters,
                  width: Math.round(box.width),
                  height: Math.round(box.height),
                },
              })),
            )
          }
        />
      )}
      {isEditing ? (
        <StickyNoteEditor name={node.name} content={content} />
      ) : content ? (
        <div className={css.text}>
          <Markdown text={content} />
        </div>
      ) : (
        <p className={css.empty}>Double-click to edit. Supports Markdown.</p>
      )}
      {selected && !isReadOnly && !isEditing && <ColourPicker name={node.name} colour={colour} />}
    </div>
  );
});

function StickyNoteEditor({ name, content }: { name: string; content: string }) {
  const [text, setText] = useState(content);
  const close = () => {
    useCanvas.setState({ renaming: null });
    if (text !== content && findNode(useEditor.getState().workflow, name)) {
      useEditor
        .getState()
        .change("Edit note", (document) => setParameter(document, name, "content", text));
    }
  };
  return (
    <textarea
      className={`${css.editor} nodrag nopan nowheel`}
      aria-label={`Text of ${name}`}
      value={text}
      autoFocus
      onChange={(event) => setText(event.target.value)}
      onBlur={close}
      onDoubleClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey)))
          event.currentTarget.blur();
      }}
    />
  );
}

function ColourPicker({ name, colour }: { name: string; colour: number }) {
  return (
    <div className={`${css.colours} nodrag nopan`} role="radiogroup" aria-label="Note color">
      {NOTE_COLOURS.map((word, index) => (
        // biome-ignore lint/a11y/useSemanticElements: a row of swatches is no form.
        <button
          key={word}
          type="button"
          role="radio"
          aria-checked={colour === index + 1}
          aria-label={word}
          style={{ background: `var(--note-${index + 1})` }}
          onClick={() =>
            useEditor
              .getState()
              .change("Change note color", (document) =>
                setParameter(document, name, "color", index + 1),
              )
          }
        />
      ))}
    </div>
  );
}
