// One clock for all times of a page that say how long ago something was. It ticks only while somebody looks.

export const TICK_MS = 10_000;

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** The moment of the last tick, so that all times of a page agree. */
export function clockNow(): number {
  // Nobody has listened since, so the last tick is long ago.
  if (listeners.size === 0 && Date.now() - now >= 1000) now = Date.now();
  return now;
}

export function onClockTick(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick() {
  now = Date.now();
  for (const listener of listeners) listener();
}
