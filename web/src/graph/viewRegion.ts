/**
 * Which part of the canvas is drawn: more than what is in sight, so that moving the view a little changes nothing and moving it far
 * changes something only now and then.
 */
import type { Point, Size } from "./geometry";

/** A box on the canvas, from its upper left corner. */
export interface Box extends Point, Size {}

/** How much is drawn beyond each side of the view, as a part of its size: of nodes in their simple form, and of whole ones, which cost more. */
const MARGIN = 0.4;
export const DETAIL_MARGIN = 0.15;
/** A region that is this many times as large as it would have to be is let go. */
const MAX_WASTE = 3;

/** What is in sight of the canvas: its part in a window of this size that was moved and zoomed so. */
export function visibleBox(
  [x, y, zoom]: readonly [number, number, number],
  { width, height }: Size,
): Box {
  return { x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom };
}

export function regionAround(view: Box, margin = MARGIN): Box {
  const [x, y] = [view.width * margin, view.height * margin];
  return { x: view.x - x, y: view.y - y, width: view.width + 2 * x, height: view.height + 2 * y };
}

/** Whether a region still shows all that is in sight. */
export function covers(region: Box, view: Box): boolean {
  return (
    region.x <= view.x &&
    region.y <= view.y &&
    region.x + region.width >= view.x + view.width &&
    region.y + region.height >= view.y + view.height
  );
}

/** Whether a region is much larger than the view needs, as after zooming in. */
export function isWasteful(region: Box, view: Box): boolean {
  const needed = regionAround(view);
  return region.width * region.height > MAX_WASTE * needed.width * needed.height;
}

export function overlaps(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/** The smallest box around all of these; `null` around nothing. */
export function boxAround(boxes: Iterable<Box>): Box | null {
  let [left, top] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let [right, bottom] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const box of boxes) {
    left = Math.min(left, box.x);
    top = Math.min(top, box.y);
    right = Math.max(right, box.x + box.width);
    bottom = Math.max(bottom, box.y + box.height);
  }
  return left > right ? null : { x: left, y: top, width: right - left, height: bottom - top };
}

/** Where a view must begin to show a box with room around it; it moves no further than it must. Of what is too large the beginning is shown. */
export function scrollToShow(view: Box, box: Box, room: Size): Point {
  const along = (start: number, length: number, from: number, size: number, free: number) => {
    const [least, most] = [from + size + free - length, from - free];
    return Math.min(most, Math.max(least, start));
  };
  return {
    x: along(view.x, view.width, box.x, box.width, room.width),
    y: along(view.y, view.height, box.y, box.height, room.height),
  };
}
