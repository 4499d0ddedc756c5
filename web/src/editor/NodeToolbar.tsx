/** The buttons above a node while it is pointed at: what one does with a node most often. */
import { Ellipsis, Play, Power, Trash2 } from "lucide-react";
import { useEffect } from "react";
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { useStoppingProblem } from "../store/stoppingProblem";
import { IconButton } from "../ui";
import { removeSelected, runNode, toggleDisabled } from "./commands";
import css from "./NodeToolbar.module.css";

interface NodeToolbarProps {
  name: string;
  isDisabled: boolean;
  isSubNode?: boolean;
  /** Something else has taken its place; it comes back when the node is pointed at anew. */
  onHide: () => void;
}

export function NodeToolbar({ name, isDisabled, isSubNode, onHide }: NodeToolbarProps) {
  const isReadOnly = useEditor((state) => state.readOnly);
  const isCovered = useCanvas((state) => state.add !== null || state.connect !== null);
  const stopping = useStoppingProblem(name);
  useEffect(() => {
    if (isCovered) onHide();
  }, [isCovered, onHide]);
  if (isReadOnly || isCovered) return null;
  return (
    <div
      className={`${css.bar} nodrag nopan`}
      onDoubleClick={(event) => event.stopPropagation()}
      role="toolbar"
      aria-label={name}
    >
      {!isSubNode && (
        <IconButton
          icon={Play}
          label={stopping ? `Cannot run: ${stopping.message}` : "Run up to here"}
          disabled={stopping !== null}
          size="small"
          tabIndex={-1}
          onClick={() => runNode(name)}
        />
      )}
      <IconButton
        icon={Power}
        label={isDisabled ? "Enable" : "Disable"}
        shortcut="D"
        size="small"
        tabIndex={-1}
        onClick={() => toggleDisabled([name])}
      />
      <IconButton
        icon={Trash2}
        label="Delete"
        shortcut="del"
        size="small"
        tabIndex={-1}
        onClick={() => removeSelected([name])}
      />
      <IconButton
        icon={Ellipsis}
        label="More"
        size="small"
        tabIndex={-1}
        onClick={(event) => {
          // The menu is the one of the right mouse button; there is no second list to keep in step.
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          event.currentTarget.dispatchEvent(
            new MouseEvent("contextmenu", {
              bubbles: true,
              clientX: left,
              clientY: bottom + 4,
              button: 2,
            }),
          );
        }}
      />
    </div>
  );
}
