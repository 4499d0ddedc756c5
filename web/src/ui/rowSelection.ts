// Which rows of a table are chosen: one by one, a stretch of them with Shift, or all.

/** The chosen rows after one was clicked. With `from`, the row clicked before, everything between the two goes the same way. */
export function updateSelection(
  chosen: ReadonlySet<string>,
  order: readonly string[],
  key: string,
  is: boolean,
  from: string | null = null,
): Set<string> {
  const next = new Set(chosen);
  const [first, last] = [order.indexOf(from ?? key), order.indexOf(key)].sort(
    (one, other) => one - other,
  );
  const touched =
    first === undefined || first < 0 ? [key] : order.slice(first, (last ?? first) + 1);
  for (const one of touched) {
    if (is) next.add(one);
    else next.delete(one);
  }
  return next;
}

/** How the box above all rows stands. */
export function selectAllState(
  chosen: ReadonlySet<string>,
  order: readonly string[],
): boolean | "indeterminate" {
  const count = order.filter((key) => chosen.has(key)).length;
  if (count === 0) return false;
  return count === order.length ? true : "indeterminate";
}
