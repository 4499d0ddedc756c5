/** The name of a node as a field, in its place on the canvas. */
import { useState } from "react";
import { nameProblem } from "../graph/document";
import { useCanvas } from "../store/canvasStore";
import { renameNode } from "../store/editCommands";
import { useEditor } from "../store/editorStore";
import css from "./NodeNameEditor.module.css";

export function NodeNameEditor({ name }: { name: string }) {
  const [text, setText] = useState(name);
  const reason = nameProblem(useEditor.getState().workflow, name, text);
  const close = () => useCanvas.setState({ renaming: null });
  const take = () => {
    close();
    if (!reason) renameNode(name, text);
  };
  return (
    <span className={css.editor}>
      <input
        className={`${css.input} nodrag nopan nowheel`}
        value={text}
        aria-label={`New name for ${name}`}
        aria-invalid={reason !== null}
        autoFocus
        onFocus={(event) => event.target.select()}
        onChange={(event) => setText(event.target.value)}
        onBlur={take}
        onDoubleClick={(event) => event.stopPropagation()}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === "Enter" && !reason) take();
          if (event.key === "Escape") close();
        }}
      />
      {reason && (
        <span className={css.reason} role="alert">
          {reason}
        </span>
      )}
    </span>
  );
}
