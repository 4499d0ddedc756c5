/** A note on the canvas: Markdown on a coloured ground, behind the nodes it describes. */
import { type NodeProps, NodeResizer } from "@xyflow/react";
import { memo, useState } from "react";
import { nodeOf, setParameter, updateNode } from "../graph/document";
import { STRETCH, toDocument } from "../graph/geometry";
import { cx, Markdown } from "../ui";
import { useCanvas } from "./canvas";
import type { NoteNode } from "./flow";
import css from "./Note.module.css";
import { useEditor } from "./store";

export const COLOURS = ["Yellow", "Orange", "Red", "Green", "Blue", "Violet", "Grey"] as const;

export const Note = memo(function Note({ data, selected }: NodeProps<NoteNode>) {
  const { node } = data;
  const isEditing = useCanvas((state) => state.renaming === node.name);
  const isReadOnly = useEditor((state) => state.readOnly);
  const change = useCanvas((state) => state.difference?.nodes.get(node.name));
  const content = typeof node.parameters.content === "string" ? node.parameters.content : "";
  const colour =
    typeof node.parameters.color === "number" && node.parameters.color >= 1 && node.parameters.color <= 7
      ? node.parameters.color
      : 1;
  return (
    <div className={cx(css.note, selected && css.selected)} data-change={change} style={{ background: `var(--note-${colour})` }}>
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
                parameters: { ...note.parameters, width: Math.round(box.width / STRETCH), height: Math.round(box.height) },
              })),
            )
          }
        />
      )}
      {isEditing ? (
        <NoteEditor name={node.name} content={content} />
      ) : content ? (
        <div className={css.text}>
          <Markdown text={content} />
        </div>
      ) : (
        <p className={css.empty}>Double-click to write. Markdown works here.</p>
      )}
      {selected && !isReadOnly && !isEditing && <Colours name={node.name} colour={colour} />}
    </div>
  );
});

function NoteEditor({ name, content }: { name: string; content: string }) {
  const [text, setText] = useState(content);
  const close = () => {
    useCanvas.setState({ renaming: null });
    if (text !== content && nodeOf(useEditor.getState().workflow, name)) {
      useEditor.getState().change("Write note", (document) => setParameter(document, name, "content", text));
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
        if (event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey))) event.currentTarget.blur();
      }}
    />
  );
}

function Colours({ name, colour }: { name: string; colour: number }) {
  return (
    <div className={`${css.colours} nodrag nopan`} role="radiogroup" aria-label="Colour of the note">
      {COLOURS.map((word, index) => (
        // biome-ignore lint/a11y/useSemanticElements: a row of swatches is no form.
        <button
          key={word}
          type="button"
          role="radio"
          aria-checked={colour === index + 1}
          aria-label={word}
          style={{ background: `var(--note-${index + 1})` }}
          onClick={() =>
            useEditor.getState().change("Colour note", (document) => setParameter(document, name, "color", index + 1))
          }
        />
      ))}
    </div>
  );
}
