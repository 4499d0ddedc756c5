// Which rows of a long list are in sight: a run of ten thousand steps is drawn thirty rows at a time.

/** The first row to draw and the one behind the last, with a few more on both sides so that scrolling shows no gaps. */
export function visibleRows(
  scrollTop: number,
  height: number,
  rowHeight: number,
  n: number,
  spare = 8,
): [number, number] {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - spare);
  const last = Math.min(n, Math.ceil((scrollTop + height) / rowHeight) + spare);
  return [Math.min(first, n), Math.max(last, Math.min(first, n))];
}
