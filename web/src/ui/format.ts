// How numbers are written: pure functions behind the components of `Formatted`.

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function relativeTime(date: Date, now: Date): string {
  const seconds = Math.round((now.getTime() - date.getTime()) / 1000);
  const past = Math.abs(seconds);
  const say = (n: number, unit: string) => (seconds >= 0 ? `${n} ${unit} ago` : `in ${n} ${unit}`);
  if (past < 10) return "just now";
  if (past < MINUTE) return say(past, "s");
  if (past < HOUR) return say(Math.round(past / MINUTE), "min");
  if (past < DAY) return say(Math.round(past / HOUR), "h");
  if (past < 7 * DAY) return say(Math.round(past / DAY), past < 1.5 * DAY ? "day" : "days");
  const sameYear = date.getFullYear() === now.getFullYear();
  return date.toLocaleDateString("en", {
    day: "numeric",
    month: "short",
    year: sameYear ? undefined : "numeric",
  });
}

export function exactTime(date: Date): string {
  return date.toLocaleString("en", { dateStyle: "medium", timeStyle: "medium" });
}

/** The time of day, with the date where it is not today's: `14:03`, `3 Feb, 14:03`. */
export function clockTime(date: Date, now: Date): string {
  const time = date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (date.toDateString() === now.toDateString()) return time;
  const year = date.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return `${date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year })}, ${time}`;
}

export function duration(ms: number): string {
  if (ms < 1) return "< 1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(2)} s`;
  if (seconds < MINUTE) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min ${whole % MINUTE} s`;
  return `${Math.floor(whole / HOUR)} h ${Math.floor((whole % HOUR) / MINUTE)} min`;
}

export function bytes(n: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let value = n;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export function money(dollars: number): string {
  if (dollars === 0) return "$0";
  if (dollars < 0.01) return `$${dollars.toPrecision(2)}`;
  return `$${dollars.toFixed(dollars < 1 ? 3 : 2)}`;
}

/** A count with its thousands apart. */
export function count(n: number): string {
  return n.toLocaleString("en");
}

/** `1 item`, `2 items`. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}
