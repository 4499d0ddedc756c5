import { expect, test } from "vitest";
import { bytes, duration, money, plural, relativeTime } from "./format";

test("times are told from now", () => {
  const now = new Date("2026-11-15T12:00:00Z");
  const ago = (seconds: number) => relativeTime(new Date(now.getTime() - seconds * 1000), now);
  expect([ago(2), ago(30), ago(90), ago(7200), ago(86_400), ago(3 * 86_400), ago(-300)]).toEqual([
    "just now",
    "30 s ago",
    "2 min ago",
    "2 h ago",
    "1 day ago",
    "3 days ago",
    "in 5 min",
  ]);
});

test("durations, sizes and money keep three figures that matter", () => {
  expect([
    duration(0.4),
    duration(12.3),
    duration(1234),
    duration(75_000),
    duration(3_700_000),
  ]).toEqual(["< 1 ms", "12 ms", "1.23 s", "1 min 15 s", "1 h 1 min"]);
  expect([bytes(900), bytes(1500), bytes(250_000_000)]).toEqual(["900 B", "1.5 KB", "250 MB"]);
  expect([money(0), money(0.00123), money(0.25), money(12.5)]).toEqual([
    "$0",
    "$0.0012",
    "$0.250",
    "$12.50",
  ]);
  expect([plural(1, "item"), plural(2000, "item")]).toEqual(["1 item", "2,000 items"]);
});
