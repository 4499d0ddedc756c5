// The difference of two texts, line by line. Pure.

export type DiffLine = { kind: "same" | "removed" | "added"; text: string };

/** Beyond this the exact way takes too long for a page; the middle is then shown as replaced. */
const MAX_CHANGES = 800;

/** The shortest way from one text to the other (Myers), with what they share at both ends taken off first. */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = before === "" ? [] : before.split("\n");
  const b = after === "" ? [] : after.split("\n");
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (
    end < a.length - start &&
    end < b.length - start &&
    a[a.length - 1 - end] === b[b.length - 1 - end]
  )
    end++;
  const same = (text: string): DiffLine => ({ kind: "same", text });
  const middle = changes(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)];
}

function changes(a: readonly string[], b: readonly string[]): DiffLine[] {
  const replaced = (): DiffLine[] => [
    ...a.map((text): DiffLine => ({ kind: "removed", text })),
    ...b.map((text): DiffLine => ({ kind: "added", text })),
  ];
  if (a.length === 0 || b.length === 0) return replaced();
  const most = Math.min(MAX_CHANGES, a.length + b.length);
  const reach = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let d = 0; d <= most; d++) {
    trace.push(new Map(reach));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
      let x = down ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) {
        x++;
        y++;
      }
      reach.set(k, x);
      if (x >= a.length && y >= b.length) return backtrack(a, b, trace);
    }
  }
  return replaced();
}

function backtrack(
  a: readonly string[],
  b: readonly string[],
  trace: readonly Map<number, number>[],
): DiffLine[] {
  const lines: DiffLine[] = [];
  let x = a.length;
  let y = b.length;
  for (let d = trace.length - 1; d >= 0; d--) {
    const reach = trace[d] as Map<number, number>;
    const k = x - y;
    const down = k === -d || (k !== d && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
    const before = down ? k + 1 : k - 1;
    const fromX = reach.get(before) ?? 0;
    // The stretch that both share lies behind the one line that was taken or added before it.
    const stopX = d === 0 ? 0 : down ? fromX : fromX + 1;
    while (x > stopX) {
      lines.push({ kind: "same", text: a[--x] ?? "" });
      y--;
    }
    if (d === 0) break;
    if (down) lines.push({ kind: "added", text: b[--y] ?? "" });
    else lines.push({ kind: "removed", text: a[--x] ?? "" });
  }
  return lines.reverse();
}

/** Changed lines with a few around them; longer stretches of sameness become a gap. */
export function hunks(
  lines: readonly DiffLine[],
  around = 3,
): (DiffLine | { kind: "gap"; n: number })[] {
  const isNear = (at: number) => {
    for (
      let other = Math.max(0, at - around);
      other <= Math.min(lines.length - 1, at + around);
      other++
    ) {
      if (lines[other]?.kind !== "same") return true;
    }
    return false;
  };
  const found: (DiffLine | { kind: "gap"; n: number })[] = [];
  let n = 0;
  for (const [at, line] of lines.entries()) {
    if (isNear(at)) {
      if (n > 0) found.push({ kind: "gap", n });
      n = 0;
      found.push(line);
    } else n++;
  }
  if (n > 0) found.push({ kind: "gap", n });
  return found;
}
