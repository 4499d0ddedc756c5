// A key or several, as they are written on this machine: `mod+k` is ⌘K on a Mac and Ctrl K elsewhere.
import css from "./Kbd.module.css";

const isMac = typeof navigator !== "undefined" && /Mac|iP(hone|ad)/.test(navigator.platform);
const NAMES: Record<string, string> = isMac
  ? { mod: "⌘", ctrl: "⌃", shift: "⇧", alt: "⌥", enter: "↵", esc: "Esc", del: "⌫" }
  : {
      mod: "Ctrl",
      ctrl: "Ctrl",
      shift: "Shift",
      alt: "Alt",
      enter: "Enter",
      esc: "Esc",
      del: "Del",
    };
const ARROWS: Record<string, string> = { up: "↑", down: "↓", left: "←", right: "→" };

export function Kbd({ keys }: { keys: string }) {
  const words = keys
    .split(/\+(?!$)/)
    .map((key) => NAMES[key] ?? ARROWS[key] ?? (key.length === 1 ? key.toUpperCase() : key));
  return <kbd className={css.kbd}>{words.join(isMac ? "" : " ")}</kbd>;
}
