/** Keeps the focus inside of something that lies over the page: behind the last field comes the first. */

const FOCUSABLE = "a[href], button, input, select, textarea, [tabindex], [contenteditable=true]";

/** Moves the focus round when it would leave; `true` if it did. */
export function trapFocus(frame: HTMLElement, backwards: boolean): boolean {
  const all = [...frame.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(isFocusable);
  const first = all[0];
  const last = all.at(-1);
  if (!first || !last) return false;
  const now = document.activeElement;
  const isOutside = now === null || now === document.body;
  if (backwards && (now === first || now === frame || isOutside)) last.focus();
  else if (!backwards && (now === last || isOutside)) first.focus();
  else return false;
  return true;
}

function isFocusable(element: HTMLElement): boolean {
  return (
    element.tabIndex >= 0 && !element.matches(":disabled") && element.getClientRects().length > 0
  );
}
