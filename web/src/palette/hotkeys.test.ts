/** Which keys open the palette and the help. */
import { describe, expect, it } from "vitest";
import { isHelpKey, isPaletteKey, type KeyPress } from "./hotkeys";

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  defaultPrevented: false,
  ...more,
});

describe("keys of the whole page", () => {
  it("open the palette with either modifier, and not with more", () => {
    expect(isPaletteKey(press("k", { ctrlKey: true }))).toBe(true);
    expect(isPaletteKey(press("K", { metaKey: true }))).toBe(true);
    expect(isPaletteKey(press("k", { ctrlKey: true, shiftKey: true }))).toBe(false);
    expect(isPaletteKey(press("k"))).toBe(false);
  });

  it("show the help unless somebody is writing", () => {
    expect(isHelpKey(press("?", { shiftKey: true }), false)).toBe(true);
    expect(isHelpKey(press("?", { shiftKey: true }), true)).toBe(false);
  });
});
