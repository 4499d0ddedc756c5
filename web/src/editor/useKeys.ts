/** Listens to the keys of the canvas while it is shown. */
import { useEffect } from "react";
import { isWritingIn } from "../palette/hotkeys";
import { setMap, useCanvas } from "./canvas";
import { duplicateSelected, onCopy, pasteText, togglePins } from "./clip";
import * as commands from "./commands";
import { type Command, commandOf, EVERYWHERE } from "./keys";
import { saveWorkflow } from "./save";
import { useEditor } from "./store";
import { leaveVersion } from "./VersionBar";
import { fit, zoom } from "./view";

const ACTIONS: Record<Command, () => void> = {
  add: () => commands.openAdd(),
  connect: commands.openConnect,
  run: () => commands.runWorkflow(),
  save: () => void saveWorkflow(),
  disable: () => commands.toggleDisabled(),
  pin: () => void togglePins(),
  rename: commands.startRenaming,
  note: commands.addNote,
  duplicate: duplicateSelected,
  fit: fit,
  zoomIn: () => zoom("in"),
  zoomOut: () => zoom("out"),
  zoomReset: () => zoom("reset"),
  undo: commands.undo,
  redo: commands.redo,
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
  map: () => setMap(!useCanvas.getState().showMap),
  left: () => commands.walk("left"),
  right: () => commands.walk("right"),
  up: () => commands.walk("up"),
  down: () => commands.walk("down"),
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
  if (useEditor.getState().open !== null || isWritingIn(focused)) return false;
  if (document.querySelector("[role=dialog], [role=menu], [data-radix-popper-content-wrapper] [role=listbox]")) return false;
  return !focused || focused === document.body || focused.closest("[data-canvas]") !== null;
}

export function useKeys() {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const command = commandOf(event);
      if (!command || event.defaultPrevented || event.isComposing) return;
      if (!EVERYWHERE.has(command) && !isForCanvas(event.key)) return;
      if (command === "run" && useEditor.getState().readOnly) return;
      event.preventDefault();
      ACTIONS[command]();
    };
    const copy = (event: ClipboardEvent) => isForCanvas() && !hasText() && onCopy(event, false);
    const cut = (event: ClipboardEvent) => isForCanvas() && !hasText() && onCopy(event, true);
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
function hasText(): boolean {
  return (window.getSelection()?.toString() ?? "") !== "";
}
