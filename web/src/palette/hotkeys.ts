/** When a key is meant for the whole page and not for the field that has the focus. */

/** The part of a key event that matters here. */
export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  defaultPrevented: boolean;
}

/** Ctrl K, or ⌘K on a Mac, wherever the focus is. */
export function isPaletteKey(event: KeyPress): boolean {
  return (
    (event.ctrlKey || event.metaKey) &&
    !event.altKey &&
    !event.shiftKey &&
    event.key.toLowerCase() === "k"
  );
}

/** The question mark, unless somebody is writing. */
export function isHelpKey(event: KeyPress, isWriting: boolean): boolean {
  return (
    event.key === "?" &&
    !event.ctrlKey &&
    !event.metaKey &&
    !event.altKey &&
    !isWriting &&
    !event.defaultPrevented
  );
}

/** Whether what has the focus takes letters. */
export function isTextInput(element: Element | null): boolean {
  if (!element) return false;
  return (
    element.matches("input, textarea, select, [contenteditable=''], [contenteditable=true]") ||
    element.closest(".cm-editor") !== null
  );
}
