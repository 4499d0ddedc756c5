// Times, durations, sizes and money, written the same way everywhere.
import { useSyncExternalStore } from "react";
import { clockNow, onClockTick } from "./clock";
import { bytes, duration, exactTime, money, relativeTime } from "./format";

/** How long ago something was; it moves on while the page is open. */
export function Time({ at }: { at: string | number | Date | null | undefined }) {
  const now = useSyncExternalStore(onClockTick, clockNow);
  if (at === null || at === undefined || at === "") return <span>–</span>;
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={exactTime(date)}>
      {relativeTime(date, new Date(now))}
    </time>
  );
}

export function Duration({ ms }: { ms: number | null | undefined }) {
  return <span>{ms === null || ms === undefined ? "–" : duration(ms)}</span>;
}

export function Bytes({ n }: { n: number }) {
  return <span>{bytes(n)}</span>;
}

export function Money({ dollars }: { dollars: number | null | undefined }) {
  return <span>{dollars === null || dollars === undefined ? "–" : money(dollars)}</span>;
}
