import { describe, expect, it } from "vitest";
import { placeBeside } from "./placement";

const WINDOW = { width: 1000, height: 600 };
const FLOATING = { width: 100, height: 20 };
const button = (left: number, top: number) => ({ left, top, width: 40, height: 30 });

describe("what floats beside something", () => {
  it("stands in the middle of the wanted side", () => {
    expect(placeBeside(button(500, 300), FLOATING, "bottom", WINDOW)).toEqual({
      left: 470,
      top: 336,
    });
    expect(placeBeside(button(500, 300), FLOATING, "top", WINDOW)).toEqual({ left: 470, top: 274 });
    expect(placeBeside(button(500, 300), FLOATING, "right", WINDOW)).toEqual({
      left: 546,
      top: 305,
    });
    expect(placeBeside(button(500, 300), FLOATING, "left", WINDOW)).toEqual({
      left: 394,
      top: 305,
    });
  });

  it("goes to the other side where the wanted one has no room", () => {
    expect(placeBeside(button(500, 565), FLOATING, "bottom", WINDOW).top).toBe(539);
    expect(placeBeside(button(4, 300), FLOATING, "left", WINDOW).left).toBe(50);
  });

  it("is moved along its side rather than over an edge", () => {
    expect(placeBeside(button(2, 300), FLOATING, "bottom", WINDOW).left).toBe(8);
    expect(placeBeside(button(958, 300), FLOATING, "bottom", WINDOW).left).toBe(892);
  });
});
