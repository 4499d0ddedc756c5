import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hideWords, hideWordsSoon, keepWords, showWordsSoon, wordsNow } from "./words";

const words = (text: string) => ({ on: { text } as unknown as HTMLElement, text, shortcut: undefined, side: "top" as const });

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  hideWords();
  vi.advanceTimersByTime(1000);
  vi.useRealTimers();
});

describe("words that float", () => {
  it("come after one has rested on a thing", () => {
    showWordsSoon(words("Save"));
    vi.advanceTimersByTime(390);
    expect(wordsNow()).toBeNull();
    vi.advanceTimersByTime(20);
    expect(wordsNow()?.text).toBe("Save");
  });

  it("do not come when the thing is left before", () => {
    showWordsSoon(words("Save"));
    vi.advanceTimersByTime(300);
    hideWordsSoon();
    vi.advanceTimersByTime(1000);
    expect(wordsNow()).toBeNull();
  });

  it("follow each other at once from one thing to the next", () => {
    showWordsSoon(words("Save"));
    vi.advanceTimersByTime(400);
    hideWordsSoon();
    vi.advanceTimersByTime(150);
    showWordsSoon(words("Run"));
    expect(wordsNow()?.text).toBe("Run");
  });

  it("stay while they are pointed at themselves", () => {
    showWordsSoon(words("Save"));
    vi.advanceTimersByTime(400);
    hideWordsSoon();
    keepWords();
    vi.advanceTimersByTime(1000);
    expect(wordsNow()?.text).toBe("Save");
  });
});
