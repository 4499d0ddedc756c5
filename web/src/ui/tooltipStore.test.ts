import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  getTooltip,
  hideTooltip,
  hideTooltipSoon,
  keepTooltip,
  showTooltipSoon,
} from "./tooltipStore";

const words = (text: string) => ({
  on: { text } as unknown as HTMLElement,
  text,
  shortcut: undefined,
  side: "top" as const,
});

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  hideTooltip();
  vi.advanceTimersByTime(1000);
  vi.useRealTimers();
});

describe("words that float", () => {
  it("come after one has rested on a thing", () => {
    showTooltipSoon(words("Save"));
    vi.advanceTimersByTime(390);
    expect(getTooltip()).toBeNull();
    vi.advanceTimersByTime(20);
    expect(getTooltip()?.text).toBe("Save");
  });

  it("do not come when the thing is left before", () => {
    showTooltipSoon(words("Save"));
    vi.advanceTimersByTime(300);
    hideTooltipSoon();
    vi.advanceTimersByTime(1000);
    expect(getTooltip()).toBeNull();
  });

  it("follow each other at once from one thing to the next", () => {
    showTooltipSoon(words("Save"));
    vi.advanceTimersByTime(400);
    hideTooltipSoon();
    vi.advanceTimersByTime(150);
    showTooltipSoon(words("Run"));
    expect(getTooltip()?.text).toBe("Run");
  });

  it("stay while they are pointed at themselves", () => {
    showTooltipSoon(words("Save"));
    vi.advanceTimersByTime(400);
    hideTooltipSoon();
    keepTooltip();
    vi.advanceTimersByTime(1000);
    expect(getTooltip()?.text).toBe("Save");
  });
});
