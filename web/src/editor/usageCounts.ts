/** How often each node type was added in this browser, so that what one needs often comes first. */

const KEY = "heddle.uses";
const MAX_ENTRIES = 60;

export function readUsageCounts(): Map<string, number> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return new Map(
      Object.entries((kept ?? {}) as Record<string, number>).filter(
        ([, count]) => typeof count === "number",
      ),
    );
  } catch {
    // What cannot be read is as good as nothing; it is only a habit.
    return new Map();
  }
}

export function countUsage(type: string) {
  const counts = readUsageCounts();
  counts.set(type, (counts.get(type) ?? 0) + 1);
  const kept = [...counts].sort(([, one], [, other]) => other - one).slice(0, MAX_ENTRIES);
  localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(kept)));
}
