/** Which key does what on the canvas: n8n's habits, in one table. */

export type Command =
  | "add"
  | "connect"
  | "run"
  | "save"
  | "disable"
  | "pin"
  | "rename"
  | "note"
  | "duplicate"
  | "fit"
  | "zoomIn"
  | "zoomOut"
  | "zoomReset"
  | "undo"
  | "redo"
  | "open"
  | "back"
  | "delete"
  | "selectAll"
  | "arrange"
  | "map"
  | "extract"
  | "left"
  | "right"
  | "up"
  | "down"
  | "moveLeft"
  | "moveRight"
  | "moveUp"
  | "moveDown";

/** Written as `mod+shift+key`; `mod` is Ctrl, on a Mac the command key. */
const SHORTCUTS: Record<string, Command> = {
  tab: "add",
  "/": "add",
  n: "add",
  c: "connect",
  "mod+enter": "run",
  "mod+s": "save",
  d: "disable",
  p: "pin",
  f2: "rename",
  "shift+s": "note",
  "mod+d": "duplicate",
  "1": "fit",
  "0": "zoomReset",
  "+": "zoomIn",
  "=": "zoomIn",
  "-": "zoomOut",
  "mod+z": "undo",
  "mod+shift+z": "redo",
  "mod+y": "redo",
  enter: "open",
  escape: "back",
  delete: "delete",
  backspace: "delete",
  "mod+a": "selectAll",
  "shift+alt+t": "arrange",
  m: "map",
  "alt+x": "extract",
  arrowleft: "left",
  arrowright: "right",
  arrowup: "up",
  arrowdown: "down",
  "shift+arrowleft": "moveLeft",
  "shift+arrowright": "moveRight",
  "shift+arrowup": "moveUp",
  "shift+arrowdown": "moveDown",
};

interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
}

export function commandOf(event: KeyPress): Command | undefined {
  const parts = [];
  if (event.ctrlKey || event.metaKey) parts.push("mod");
  // A character that needs Shift on this keyboard says so itself; only letters and named keys are told apart by it.
  if (event.shiftKey && (event.key.length > 1 || /[a-z]/i.test(event.key))) parts.push("shift");
  if (event.altKey) parts.push("alt");
  return SHORTCUTS[[...parts, event.key.toLowerCase()].join("+")];
}

/** Keys that also work while a field has the focus: they never write anything. */
export const GLOBAL_COMMANDS: ReadonlySet<Command> = new Set(["save", "run"]);
