/** Things that are dragged onto the canvas: a node type from the search, or a file with a workflow. */
import { type DragEvent, useMemo } from "react";
import { edgeOfKey } from "../graph/edges";
import { useCanvas } from "./canvas";
import { importFile } from "./clip";
import { addNodeOf } from "./commands";
import { useEditor } from "./store";
import { lineAt, mark } from "./useDragging";

export const NODE_TYPE = "application/x-heddle-node";

export function useDropping() {
  return useMemo(
    () => ({
      onDragOver: (event: DragEvent) => {
        const isType = event.dataTransfer.types.includes(NODE_TYPE);
        if ((!isType && !event.dataTransfer.types.includes("Files")) || useEditor.getState().readOnly) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "copy";
        if (isType) mark(lineAt({ x: event.clientX, y: event.clientY }));
      },
      onDragLeave: () => mark(null),
      onDrop: (event: DragEvent) => {
        const screen = { x: event.clientX, y: event.clientY };
        useCanvas.getState().pointer = screen;
        const type = event.dataTransfer.getData(NODE_TYPE);
        const [file] = event.dataTransfer.files;
        if (!type && !file) return;
        event.preventDefault();
        const key = lineAt(screen);
        mark(null);
        if (file) {
          void importFile(file);
          return;
        }
        const { types, flow, add } = useCanvas.getState();
        const spec = types.find(type);
        const at = flow?.screenToFlowPosition(screen);
        if (!spec || !at) return;
        const takesItems = spec.inputs.some((port) => port.kind === "main");
        if (key && takesItems) addNodeOf(spec, { edge: edgeOfKey(key), at });
        else addNodeOf(spec, { ...(add?.place.from ? { from: add.place.from } : {}), at });
      },
    }),
    [],
  );
}
