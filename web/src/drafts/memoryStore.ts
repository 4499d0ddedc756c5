/** A storage like the browser's, in memory, that refuses what does not fit. */
import type { KeyValueStore } from "./draftStorage";

export class MemoryStore implements KeyValueStore {
  readonly kept = new Map<string, string>();

  constructor(private readonly room = Number.POSITIVE_INFINITY) {}

  get length(): number {
    return this.kept.size;
  }

  key(index: number): string | null {
    return [...this.kept.keys()][index] ?? null;
  }

  getItem(key: string): string | null {
    return this.kept.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    const others = [...this.kept]
      .filter(([name]) => name !== key)
      .reduce((sum, [, text]) => sum + text.length, 0);
    if (others + value.length > this.room) throw new DOMException("no room", "QuotaExceededError");
    this.kept.set(key, value);
  }

  removeItem(key: string): void {
    this.kept.delete(key);
  }
}
