import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clockNow, onClockTick, TICK_MS } from "./clock";
import { relativeTime } from "./format";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a time that is shown moves on while the page is open", () => {
  const began = new Date(Date.now());
  const shown: string[] = [];
  const stop = onClockTick(() => shown.push(relativeTime(began, new Date(clockNow()))));
  vi.advanceTimersByTime(2 * TICK_MS);
  expect(shown).toEqual(["10 s ago", "20 s ago"]);
  stop();
  vi.advanceTimersByTime(TICK_MS);
  expect(shown).toHaveLength(2);
});

test("a page that is opened later begins at its own time", () => {
  vi.advanceTimersByTime(60 * TICK_MS);
  expect(clockNow()).toBe(Date.now());
});
