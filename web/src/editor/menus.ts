/** What the right mouse button offers on a node, on a connection and on the empty canvas. */
import {
  CircleArrowUp,
  ClipboardPaste,
  Copy,
  CopyPlus,
  FilePlus2,
  LayoutGrid,
  Maximize,
  PanelRightOpen,
  Pencil,
  Pin,
  PinOff,
  Play,
  Plug,
  Plus,
  Power,
  Scissors,
  SquareDashedMousePointer,
  StickyNote,
  Trash2,
  Unplug,
} from "lucide-react";
import { catalogueNow } from "../api/catalogue";
import { nodeOf, STICKY_NOTE } from "../graph/document";
import { disconnect, edgeOfKey } from "../graph/edges";
import type { Point } from "../graph/geometry";
import type { MenuItem } from "../ui";
import { useCanvas } from "./canvas";
import { copySelected, cutSelected, duplicateSelected, pasteClipboard, togglePins } from "./clip";
import * as commands from "./commands";
import { useEditor } from "./store";
import { updateVersion, upgradeOf } from "./upgrade";
import { fit } from "./view";

export function nodeMenu(name: string): MenuItem[] {
  const { selection, select, workflow, readOnly } = useEditor.getState();
  if (!selection.has(name)) select([name]);
  const chosen = [...useEditor.getState().selection];
  const node = nodeOf(workflow, name);
  const isOne = chosen.length === 1;
  const isNote = node?.type === STICKY_NOTE;
  const areOff = chosen.every((one) => nodeOf(workflow, one)?.disabled);
  const arePinned = chosen.every((one) => workflow.pinData?.[one]);
  const isStep = useCanvas.getState().ports.get(name)?.shape !== "circle";
  const open = { label: "Open", icon: PanelRightOpen, shortcut: "enter", onSelect: commands.openSelected };
  const copy = { label: "Copy", icon: Copy, shortcut: "mod+c", onSelect: () => void copySelected() };
  if (readOnly) return isOne && !isNote ? [open, copy] : [copy];
  const items: MenuItem[] = [];
  if (isOne && !isNote) {
    items.push(open);
    if (isStep) items.push({ label: "Run to here", icon: Play, onSelect: () => commands.runHere(name) });
    const upgrade = node && upgradeOf(node, catalogueNow());
    if (upgrade)
      items.push({
        label: `Update to version ${upgrade.to}`,
        icon: CircleArrowUp,
        onSelect: deferred(() => void updateVersion(name, catalogueNow())),
      });
    items.push({ label: "Connect", icon: Plug, shortcut: "c", onSelect: deferred(commands.openConnect) });
    items.push({ label: "Rename", icon: Pencil, shortcut: "F2", onSelect: deferred(commands.startRenaming) });
  }
  if (isOne && isNote) items.push({ label: "Write", icon: Pencil, shortcut: "F2", onSelect: deferred(commands.startRenaming) });
  if (!isNote) {
    items.push({
      label: areOff ? "Switch on" : "Switch off",
      icon: Power,
      shortcut: "d",
      onSelect: () => commands.toggleDisabled(),
    });
    items.push({
      label: arePinned ? "Unpin" : "Pin data",
      icon: arePinned ? PinOff : Pin,
      shortcut: "p",
      onSelect: () => void togglePins(),
    });
  }
  items.push(null, copy);
  items.push({ label: "Cut", icon: Scissors, shortcut: "mod+x", onSelect: () => cutSelected() });
  items.push({ label: "Duplicate", icon: CopyPlus, shortcut: "mod+d", onSelect: duplicateSelected });
  if (!isOne) items.push(null, { label: "Arrange these", icon: LayoutGrid, onSelect: () => void commands.arrange() });
  if (!isOne)
    items.push({ label: "Put a note around", icon: StickyNote, shortcut: "shift+s", onSelect: deferred(commands.addNote) });
  items.push(null, {
    label: isOne ? "Delete" : `Delete ${chosen.length} nodes`,
    icon: Trash2,
    shortcut: "del",
    danger: true,
    onSelect: () => commands.removeSelected(),
  });
  return items;
}

export function lineMenu(key: string): MenuItem[] {
  const edge = edgeOfKey(key);
  useEditor.getState().select([], [key]);
  if (useEditor.getState().readOnly) return [];
  return [
    { label: "Add a node here", icon: Plus, onSelect: deferred(() => commands.openAdd({ edge })) },
    {
      label: "Remove the connection",
      icon: Unplug,
      shortcut: "del",
      danger: true,
      onSelect: () => useEditor.getState().change("Disconnect", (document) => disconnect(document, edge)),
    },
  ];
}

export function canvasMenu(at: Point): MenuItem[] {
  const { flow } = useCanvas.getState();
  const place = flow?.screenToFlowPosition(at);
  const view: MenuItem[] = [
    { label: "Select all", icon: SquareDashedMousePointer, shortcut: "mod+a", onSelect: commands.selectAll },
    { label: "Zoom to fit", icon: Maximize, shortcut: "1", onSelect: fit },
  ];
  if (useEditor.getState().readOnly) return view;
  return [
    {
      label: "Add a node",
      icon: FilePlus2,
      shortcut: "Tab",
      onSelect: deferred(() => commands.openAdd(place ? { at: place } : {})),
    },
    { label: "Add a note", icon: StickyNote, shortcut: "shift+s", onSelect: deferred(commands.addNote) },
    { label: "Paste", icon: ClipboardPaste, shortcut: "mod+v", onSelect: () => void pasteClipboard() },
    null,
    ...view,
    { label: "Arrange", icon: LayoutGrid, onSelect: () => void commands.arrange() },
  ];
}

/** A menu gives the focus back when it closes; what takes the focus itself must come after that. */
function deferred(action: () => void): () => void {
  return () => setTimeout(action, 60);
}
