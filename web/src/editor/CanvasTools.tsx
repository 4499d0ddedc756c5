/** The buttons on the canvas: add, zoom, undo, order, map. */

import { useStore } from "@xyflow/react";
import {
  LayoutGrid,
  Map as MapIcon,
  Maximize,
  Minus,
  Plus,
  Redo2,
  StickyNote,
  Undo2,
} from "lucide-react";
import { memo } from "react";
import { setMinimap, useCanvas } from "../store/canvasStore";
import { redo, undo } from "../store/editCommands";
import { useEditor } from "../store/editorStore";
import { IconButton, Tooltip } from "../ui";
import css from "./CanvasTools.module.css";
import { addNote, arrange, openAddPanel } from "./commands";
import { fitView, zoomView } from "./viewControls";

export const CanvasTools = memo(function CanvasTools() {
  const isReadOnly = useEditor((state) => state.readOnly);
  const canUndo = useEditor((state) => state.history.past.length > 0);
  const canRedo = useEditor((state) => state.history.future.length > 0);
  const showMap = useCanvas((state) => state.showMap);
  return (
    <>
      {!isReadOnly && (
        <div className={css.adding} role="toolbar" aria-label="Add" aria-orientation="vertical">
          <IconButton
            icon={Plus}
            label="Add node"
            shortcut="Tab"
            kind="plain"
            onClick={() => openAddPanel()}
          />
          <IconButton
            icon={StickyNote}
            label="Add sticky note"
            shortcut="shift+s"
            kind="plain"
            onClick={addNote}
          />
        </div>
      )}
      <div className={css.tools} role="toolbar" aria-label="View">
        <div className={css.group}>
          <IconButton
            icon={Minus}
            label="Zoom out"
            shortcut="-"
            size="small"
            onClick={() => zoomView("out")}
          />
          <Zoom />
          <IconButton
            icon={Plus}
            label="Zoom in"
            shortcut="+"
            size="small"
            onClick={() => zoomView("in")}
          />
          <IconButton
            icon={Maximize}
            label="Zoom to fit"
            shortcut="1"
            size="small"
            onClick={fitView}
          />
          <IconButton
            icon={MapIcon}
            label={showMap ? "Hide minimap" : "Show minimap"}
            shortcut="m"
            size="small"
            active={showMap}
            onClick={() => setMinimap(!showMap)}
          />
        </div>
        {!isReadOnly && (
          <div className={css.group}>
            <IconButton
              icon={Undo2}
              label="Undo"
              shortcut="mod+z"
              size="small"
              disabled={!canUndo}
              onClick={undo}
            />
            <IconButton
              icon={Redo2}
              label="Redo"
              shortcut="mod+shift+z"
              size="small"
              disabled={!canRedo}
              onClick={redo}
            />
            <IconButton
              icon={LayoutGrid}
              label="Arrange"
              shortcut="shift+alt+t"
              size="small"
              onClick={() => void arrange()}
            />
          </div>
        )}
      </div>
    </>
  );
});

function Zoom() {
  const percent = useStore((state) => Math.round(state.transform[2] * 100));
  return (
    <Tooltip text="Zoom to 100%" shortcut="0">
      <button
        type="button"
        className={css.percent}
        onClick={() => zoomView("reset")}
        aria-label={`Zoom: ${percent}%. Zoom to 100%`}
      >
        {percent}%
      </button>
    </Tooltip>
  );
}
