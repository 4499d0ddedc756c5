/** Listens to the keys of the canvas while it is shown. */
import { useEffect } from "react";
import { isTextInput } from "../palette/hotkeys";
import { setMinimap, useCanvas } from "../store/canvasStore";
import { redo, undo } from "../store/editCommands";
import { useEditor } from "../store/editorStore";
import { saveWorkflow } from "../store/saveWorkflow";
import { duplicateSelected, onCopy, pasteText, togglePins } from "./clipboard";
import * as commands from "./commands";
import { extractSelected } from "./extractSelected";
import { type Command, commandOf, GLOBAL_COMMANDS } from "./shortcuts";
import { leaveVersion } from "./VersionBar";
import { fitView, zoomView } from "./viewControls";

const ACTIONS: Record<Command, () => void> = {
  add: () => commands.openAddPanel(),
  connect: commands.openConnectPanel,
  run: () => commands.runWorkflow(),
  save: () => void saveWorkflow(),
  disable: () => commands.toggleDisabled(),
  pin: () => void togglePins(),
  rename: commands.startRenaming,
  note: commands.addNote,
  duplicate: duplicateSelected,
  fit: fitView,
  zoomIn: () => zoomView("in"),
  zoomOut: () => zoomView("out"),
  zoomReset: () => zoomView("reset"),
  undo,
  redo,
  open: commands.openSelected,
  back: () => {
    const { add, connect, panel } = useCanvas.getState();
    const { selection, selectedEdges, select, shown } = useEditor.getState();
    if (add || connect || panel) useCanvas.setState({ add: null, connect: null, panel: null });
    else if (selection.size + selectedEdges.size > 0) select([]);
    else if (shown?.kind === "version") leaveVersion();
  },
  delete: () => commands.removeSelected(),
  selectAll: commands.selectAll,
  arrange: () => void commands.arrange(),
  extract: () => void extractSelected(),
  map: () => setMinimap(!useCanvas.getState().showMap),
  left: () => commands.selectNeighbour("left"),
  right: () => commands.selectNeighbour("right"),
  up: () => commands.selectNeighbour("up"),
  down: () => commands.selectNeighbour("down"),
  moveLeft: () => commands.nudge(-1, 0),
  moveRight: () => commands.nudge(1, 0),
  moveUp: () => commands.nudge(0, -1),
  moveDown: () => commands.nudge(0, 1),
};

/** Whether a key is for the canvas: not while something is written, a window is open, or another part has the focus. */
function isForCanvas(key = ""): boolean {
  const focused = document.activeElement;
  // A button that has the focus is pressed by Enter and left by Tab, also on the canvas.
  if ((key === "Enter" || key === "Tab") && focused?.closest("button, a")) return false;
  if (useEditor.getState().open !== null || isTextInput(focused)) return false;
  if (
    document.querySelector(
      "[role=dialog], [role=menu], [data-radix-popper-content-wrapper] [role=listbox]",
    )
  )
    return false;
  return !focused || focused === document.body || focused.closest("[data-canvas]") !== null;
}

export function useShortcuts() {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const command = commandOf(event);
      if (!command || event.defaultPrevented || event.isComposing) return;
      if (!GLOBAL_COMMANDS.has(command) && !isForCanvas(event.key)) return;
      if (command === "run" && useEditor.getState().readOnly) return;
      event.preventDefault();
      ACTIONS[command]();
    };
    const copy = (event: ClipboardEvent) =>
      isForCanvas() && !hasTextSelection() && onCopy(event, false);
    const cut = (event: ClipboardEvent) =>
      isForCanvas() && !hasTextSelection() && onCopy(event, true);
    const paste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData("text/plain");
      if (!isForCanvas() || !text) return;
      event.preventDefault();
      pasteText(text);
    };
    window.addEventListener("keydown", onKeyDown);
    document.addEventListener("copy", copy);
    document.addEventListener("cut", cut);
    document.addEventListener("paste", paste);
    return () => {
      window.removeEventListener("keydown", onKeyDown);
      document.removeEventListener("copy", copy);
      document.removeEventListener("cut", cut);
      document.removeEventListener("paste", paste);
    };
  }, []);
}

/** Text that was marked on the page is what is copied then. */
function hasTextSelection(): boolean {
  return (window.getSelection()?.toString() ?? "") !== "";
}
