// Times, durations, sizes and money, written the same way everywhere.
import { bytes, duration, exactTime, money, relativeTime } from "./format";

export function Time({ at }: { at: string | number | Date | null | undefined }) {
  if (at === null || at === undefined || at === "") return <span>–</span>;
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={exactTime(date)}>
      {relativeTime(date, new Date())}
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
