/** What the command palette offers while a workflow is open. */
import {
  Download,
  History,
  LayoutGrid,
  Maximize,
  PanelRightOpen,
  Play,
  Plug,
  Plus,
  Redo2,
  Save,
  StickyNote,
  Undo2,
  Workflow,
} from "lucide-react";
import type { Action } from "../palette/actionRegistry";
import { setOpensNewNodes, useCanvas } from "../store/canvasStore";
import { redo, undo } from "../store/editCommands";
import { saveWorkflow } from "../store/saveWorkflow";
import { downloadWorkflow } from "./clipboard";
import * as commands from "./commands";
import { extractSelected } from "./extractSelected";
import { fitView } from "./viewControls";

const GROUP = "This workflow";

export function editorActions(): Action[] {
  return [
    {
      id: "editor-run",
      label: "Run workflow",
      group: GROUP,
      icon: Play,
      shortcut: "mod+enter",
      keywords: "execute start test",
      run: () => commands.runWorkflow(),
    },
    {
      id: "editor-save",
      label: "Save",
      group: GROUP,
      icon: Save,
      shortcut: "mod+s",
      run: () => void saveWorkflow(),
    },
    {
      id: "editor-add",
      label: "Add node",
      group: GROUP,
      icon: Plus,
      shortcut: "Tab",
      keywords: "insert step",
      run: () => setTimeout(() => commands.openAddPanel(), 60),
    },
    {
      id: "editor-connect",
      label: "Connect or disconnect selected node",
      group: GROUP,
      icon: Plug,
      shortcut: "c",
      keywords: "join link line edge remove connection",
      run: () => setTimeout(commands.openConnectPanel, 60),
    },
    {
      id: "editor-note",
      label: "Add sticky note",
      group: GROUP,
      icon: StickyNote,
      shortcut: "shift+s",
      keywords: "sticky comment",
      run: () => setTimeout(commands.addNote, 60),
    },
    {
      id: "editor-fit",
      label: "Zoom to fit",
      group: GROUP,
      icon: Maximize,
      shortcut: "1",
      run: fitView,
    },
    {
      id: "editor-arrange",
      label: "Arrange",
      group: GROUP,
      icon: LayoutGrid,
      shortcut: "shift+alt+t",
      keywords: "tidy layout clean order",
      run: () => void commands.arrange(),
    },
    {
      id: "editor-extract",
      label: "Convert selected nodes to sub-workflow",
      group: GROUP,
      icon: Workflow,
      shortcut: "alt+x",
      keywords: "extract call execute workflow",
      run: () => setTimeout(() => void extractSelected(), 60),
    },
    {
      id: "editor-open-new",
      label: "Open or leave closed the panel of new nodes",
      group: GROUP,
      icon: PanelRightOpen,
      keywords: "setting add node panel",
      run: () => setOpensNewNodes(!useCanvas.getState().opensNewNodes),
    },
    { id: "editor-undo", label: "Undo", group: GROUP, icon: Undo2, shortcut: "mod+z", run: undo },
    {
      id: "editor-redo",
      label: "Redo",
      group: GROUP,
      icon: Redo2,
      shortcut: "mod+shift+z",
      run: redo,
    },
    {
      id: "editor-versions",
      label: "Versions",
      group: GROUP,
      icon: History,
      keywords: "history restore diff",
      run: () => useCanvas.setState({ panel: "versions" }),
    },
    {
      id: "editor-download",
      label: "Download as JSON",
      group: GROUP,
      icon: Download,
      keywords: "export file n8n",
      run: downloadWorkflow,
    },
  ];
}
