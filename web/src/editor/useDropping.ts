/** Things that are dragged onto the canvas: a node type from the search, or a file with a workflow. */
import { type DragEvent, useMemo } from "react";
import { parseEdgeKey } from "../graph/edges";
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { importFile } from "./clipboard";
import { addNodeOfType } from "./commands";
import { edgeKeyAt, markDropEdge } from "./useDragging";

export const NODE_MIME_TYPE = "application/x-heddle-node";

export function useCanvasDrop() {
  return useMemo(
    () => ({
      onDragOver: (event: DragEvent) => {
        const isType = event.dataTransfer.types.includes(NODE_MIME_TYPE);
        if (
          (!isType && !event.dataTransfer.types.includes("Files")) ||
          useEditor.getState().readOnly
        )
          return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "copy";
        if (isType) markDropEdge(edgeKeyAt({ x: event.clientX, y: event.clientY }));
      },
      onDragLeave: () => markDropEdge(null),
      onDrop: (event: DragEvent) => {
        const screen = { x: event.clientX, y: event.clientY };
        useCanvas.getState().pointer = screen;
        const type = event.dataTransfer.getData(NODE_MIME_TYPE);
        const [file] = event.dataTransfer.files;
        if (!type && !file) return;
        event.preventDefault();
        const key = edgeKeyAt(screen);
        markDropEdge(null);
        if (file) {
          void importFile(file);
          return;
        }
        const { types, flow, add } = useCanvas.getState();
        const spec = types.find(type);
        const at = flow?.screenToFlowPosition(screen);
        if (!spec || !at) return;
        const takesItems = spec.inputs.some((port) => port.kind === "main");
        if (key && takesItems) addNodeOfType(spec, { edge: parseEdgeKey(key), at });
        else addNodeOfType(spec, { ...(add?.place.from ? { from: add.place.from } : {}), at });
      },
    }),
    [],
  );
}
