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
  Replace,
  Scissors,
  SquareDashedMousePointer,
  StickyNote,
  Trash2,
  Unplug,
  Workflow,
} from "lucide-react";
import { getCatalogue } from "../api/catalogue";
import { findNode, STICKY_NOTE } from "../graph/document";
import { disconnect, parseEdgeKey } from "../graph/edges";
import type { Point } from "../graph/geometry";
import { openReplacePanel, useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import type { MenuItem } from "../ui";
import {
  copySelected,
  cutSelected,
  duplicateSelected,
  pasteClipboard,
  togglePins,
} from "./clipboard";
import * as commands from "./commands";
import { extractSelected } from "./extractSelected";
import { confirmUpgrade, findUpgrade } from "./nodeUpgrade";
import { fitView } from "./viewControls";

export function nodeMenu(name: string): MenuItem[] {
  const { selection, select, workflow, readOnly } = useEditor.getState();
  if (!selection.has(name)) select([name]);
  const chosen = [...useEditor.getState().selection];
  const node = findNode(workflow, name);
  const isOne = chosen.length === 1;
  const isNote = node?.type === STICKY_NOTE;
  const areOff = chosen.every((one) => findNode(workflow, one)?.disabled);
  const arePinned = chosen.every((one) => workflow.pinData?.[one]);
  const isStep = useCanvas.getState().ports.get(name)?.shape !== "circle";
  const open = {
    label: "Open",
    icon: PanelRightOpen,
    shortcut: "enter",
    onSelect: commands.openSelected,
  };
  const copy = {
    label: "Copy",
    icon: Copy,
    shortcut: "mod+c",
    onSelect: () => void copySelected(),
  };
  if (readOnly) return isOne && !isNote ? [open, copy] : [copy];
  const items: MenuItem[] = [];
  if (isOne && !isNote) {
    items.push(open);
    if (isStep)
      items.push({ label: "Run up to here", icon: Play, onSelect: () => commands.runNode(name) });
    const upgrade = node && findUpgrade(node, getCatalogue());
    if (upgrade)
      items.push({
        label: `Update to version ${upgrade.to}`,
        icon: CircleArrowUp,
        onSelect: afterMenuCloses(() => void confirmUpgrade(name, getCatalogue())),
      });
    items.push({
      label: "Replace",
      icon: Replace,
      onSelect: afterMenuCloses(() => openReplacePanel(name)),
    });
    items.push({
      label: "Connect",
      icon: Plug,
      shortcut: "c",
      onSelect: afterMenuCloses(commands.openConnectPanel),
    });
    items.push({
      label: "Rename",
      icon: Pencil,
      shortcut: "F2",
      onSelect: afterMenuCloses(commands.startRenaming),
    });
  }
  if (isOne && isNote)
    items.push({
      label: "Edit",
      icon: Pencil,
      shortcut: "F2",
      onSelect: afterMenuCloses(commands.startRenaming),
    });
  if (!isNote) {
    items.push({
      label: areOff ? "Enable" : "Disable",
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
  items.push({
    label: "Duplicate",
    icon: CopyPlus,
    shortcut: "mod+d",
    onSelect: duplicateSelected,
  });
  if (!isNote && isStep)
    items.push(null, {
      label: isOne ? "Convert to sub-workflow" : `Convert ${chosen.length} nodes to sub-workflow`,
      icon: Workflow,
      shortcut: "alt+x",
      onSelect: afterMenuCloses(() => void extractSelected()),
    });
  if (!isOne)
    items.push(null, {
      label: "Arrange selection",
      icon: LayoutGrid,
      onSelect: () => void commands.arrange(),
    });
  if (!isOne)
    items.push({
      label: "Add sticky note around",
      icon: StickyNote,
      shortcut: "shift+s",
      onSelect: afterMenuCloses(commands.addNote),
    });
  items.push(null, {
    label: isOne ? "Delete" : `Delete ${chosen.length} nodes`,
    icon: Trash2,
    shortcut: "del",
    danger: true,
    onSelect: () => commands.removeSelected(),
  });
  return items;
}

export function edgeMenu(key: string): MenuItem[] {
  const edge = parseEdgeKey(key);
  useEditor.getState().select([], [key]);
  if (useEditor.getState().readOnly) return [];
  return [
    {
      label: "Add node here",
      icon: Plus,
      onSelect: afterMenuCloses(() => commands.openAddPanel({ edge })),
    },
    {
      label: "Delete connection",
      icon: Unplug,
      shortcut: "del",
      danger: true,
      onSelect: () =>
        useEditor.getState().change("Disconnect", (document) => disconnect(document, edge)),
    },
  ];
}

export function canvasMenu(at: Point): MenuItem[] {
  const { flow } = useCanvas.getState();
  const place = flow?.screenToFlowPosition(at);
  const view: MenuItem[] = [
    {
      label: "Select all",
      icon: SquareDashedMousePointer,
      shortcut: "mod+a",
      onSelect: commands.selectAll,
    },
    { label: "Zoom to fit", icon: Maximize, shortcut: "1", onSelect: fitView },
  ];
  if (useEditor.getState().readOnly) return view;
  return [
    {
      label: "Add node",
      icon: FilePlus2,
      shortcut: "Tab",
      onSelect: afterMenuCloses(() => commands.openAddPanel(place ? { at: place } : {})),
    },
    {
      label: "Add sticky note",
      icon: StickyNote,
      shortcut: "shift+s",
      onSelect: afterMenuCloses(commands.addNote),
    },
    {
      label: "Paste",
      icon: ClipboardPaste,
      shortcut: "mod+v",
      onSelect: () => void pasteClipboard(),
    },
    null,
    ...view,
    { label: "Arrange", icon: LayoutGrid, onSelect: () => void commands.arrange() },
  ];
}

/** A menu gives the focus back when it closes; what takes the focus itself must come after that. */
function afterMenuCloses(action: () => void): () => void {
  return () => setTimeout(action, 60);
}
