/** Every key of the editor, in one table: what `?` shows. */

export interface KeyRow {
  keys: readonly string[];
  does: string;
}

export interface KeyGroup {
  title: string;
  rows: readonly KeyRow[];
}

const row = (does: string, ...keys: string[]): KeyRow => ({ does, keys });

export const KEYS: readonly KeyGroup[] = [
  {
    title: "Everywhere",
    rows: [row("Command palette", "mod+k"), row("These keys", "?"), row("Close or go back", "esc")],
  },
  {
    title: "Workflow",
    rows: [
      row("Run", "mod+enter"),
      row("Save", "mod+s"),
      row("Undo", "mod+z"),
      row("Redo", "mod+shift+z"),
      row("Add a node", "Tab", "/"),
      row("Add a note", "shift+s"),
      row("Arrange the nodes", "shift+alt+t"),
    ],
  },
  {
    title: "Selection",
    rows: [
      row("Open", "enter"),
      row("Connect, or take a connection away", "c"),
      row("Rename", "F2"),
      row("Switch off or on", "d"),
      row("Pin data", "p"),
      row("Copy, cut, paste", "mod+c", "mod+x", "mod+v"),
      row("Duplicate", "mod+d"),
      row("Delete", "del"),
      row("Select all", "mod+a"),
      row("Go to the next node", "up", "down", "left", "right"),
      row("Move the selection", "shift+up", "shift+right"),
    ],
  },
  {
    title: "Canvas",
    rows: [
      row("Zoom to fit", "1"),
      row("Zoom to full size", "0"),
      row("Zoom in and out", "+", "-"),
      row("Small map", "m"),
      row("Pan", "Space"),
    ],
  },
];
