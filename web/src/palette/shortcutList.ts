/** Every key of the editor, in one table: what `?` shows. */

export interface ShortcutRow {
  keys: readonly string[];
  action: string;
}

export interface ShortcutGroup {
  title: string;
  rows: readonly ShortcutRow[];
}

const row = (does: string, ...keys: string[]): ShortcutRow => ({ action: does, keys });

export const SHORTCUT_GROUPS: readonly ShortcutGroup[] = [
  {
    title: "General",
    rows: [
      row("Command palette", "mod+k"),
      row("Keyboard shortcuts", "?"),
      row("Close or go back", "esc"),
    ],
  },
  {
    title: "Workflow",
    rows: [
      row("Run", "mod+enter"),
      row("Save", "mod+s"),
      row("Undo", "mod+z"),
      row("Redo", "mod+shift+z"),
      row("Add node", "Tab", "/"),
      row("Add sticky note", "shift+s"),
      row("Arrange nodes", "shift+alt+t"),
    ],
  },
  {
    title: "Selection",
    rows: [
      row("Open", "enter"),
      row("Connect or disconnect", "c"),
      row("Rename", "F2"),
      row("Enable or disable", "d"),
      row("Pin data", "p"),
      row("Copy, cut, paste", "mod+c", "mod+x", "mod+v"),
      row("Duplicate", "mod+d"),
      row("Convert to sub-workflow", "alt+x"),
      row("Delete", "del"),
      row("Select all", "mod+a"),
      row("Select next node", "up", "down", "left", "right"),
      row("Move selection", "shift+up", "shift+right"),
    ],
  },
  {
    title: "Canvas",
    rows: [
      row("Zoom to fit", "1"),
      row("Zoom to 100%", "0"),
      row("Zoom in and out", "+", "-"),
      row("Toggle minimap", "m"),
      row("Pan", "Space"),
    ],
  },
];
