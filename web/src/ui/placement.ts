/** Where something small that floats stands beside what it belongs to. */
export type Side = "top" | "right" | "bottom" | "left";

interface Size {
  width: number;
  height: number;
}

interface Box extends Size {
  left: number;
  top: number;
}

const GAP = 6;
/** What floats keeps this far from the edges of the window. */
const WINDOW_MARGIN = 8;
const OPPOSITE: Record<Side, Side> = { top: "bottom", bottom: "top", left: "right", right: "left" };

/** The upper left corner of what floats: on the wanted side, or on the other one if only there is room; never over an edge of the window, and on whole pixels, where letters are sharp. */
export function placeBeside(
  anchor: Box,
  floating: Size,
  side: Side,
  window: Size,
): { left: number; top: number } {
  const wanted = cornerAt(anchor, floating, side);
  const { left, top } = fitsWindow(wanted, floating, side, window)
    ? wanted
    : flipIfBetter(anchor, floating, side, window, wanted);
  return {
    left: Math.round(
      Math.max(WINDOW_MARGIN, Math.min(left, window.width - WINDOW_MARGIN - floating.width)),
    ),
    top: Math.round(
      Math.max(WINDOW_MARGIN, Math.min(top, window.height - WINDOW_MARGIN - floating.height)),
    ),
  };
}

type Corner = { left: number; top: number };

function flipIfBetter(
  anchor: Box,
  floating: Size,
  side: Side,
  window: Size,
  wanted: Corner,
): Corner {
  const other = cornerAt(anchor, floating, OPPOSITE[side]);
  return fitsWindow(other, floating, OPPOSITE[side], window) ? other : wanted;
}

function cornerAt({ left, top, width, height }: Box, floating: Size, side: Side): Corner {
  const middle = {
    left: left + (width - floating.width) / 2,
    top: top + (height - floating.height) / 2,
  };
  if (side === "top") return { left: middle.left, top: top - GAP - floating.height };
  if (side === "bottom") return { left: middle.left, top: top + height + GAP };
  if (side === "left") return { left: left - GAP - floating.width, top: middle.top };
  return { left: left + width + GAP, top: middle.top };
}

function fitsWindow(
  { left, top }: Corner,
  { width, height }: Size,
  side: Side,
  window: Size,
): boolean {
  if (side === "top") return top >= WINDOW_MARGIN;
  if (side === "bottom") return top + height <= window.height - WINDOW_MARGIN;
  if (side === "left") return left >= WINDOW_MARGIN;
  return left + width <= window.width - WINDOW_MARGIN;
}
