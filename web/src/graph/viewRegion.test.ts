import { expect, test } from "vitest";
import {
  boxAround,
  covers,
  isWasteful,
  overlaps,
  regionAround,
  scrollToShow,
  visibleBox,
} from "./viewRegion";

const view = visibleBox([-100, -50, 0.5], { width: 1000, height: 600 });

test("what is in sight is counted on the canvas, whatever the zoom", () => {
  expect(view).toEqual({ x: 200, y: 100, width: 2000, height: 1200 });
});

test("a region serves until the view leaves it", () => {
  const region = regionAround(view);
  expect(covers(region, view)).toBe(true);
  expect(covers(region, { ...view, x: view.x + 700 })).toBe(true);
  expect(covers(region, { ...view, x: view.x + 900 })).toBe(false);
  expect(covers(region, { ...view, y: view.y - 600 })).toBe(false);
});

test("after zooming in a region is too large to keep", () => {
  const region = regionAround(view);
  expect(isWasteful(region, view)).toBe(false);
  expect(isWasteful(region, { ...view, width: 1500, height: 900 })).toBe(false);
  expect(isWasteful(region, { ...view, width: 800, height: 480 })).toBe(true);
});

test("boxes that only touch do not overlap", () => {
  const one = { x: 0, y: 0, width: 10, height: 10 };
  expect(overlaps(one, { x: 9, y: 9, width: 1, height: 1 })).toBe(true);
  expect(overlaps(one, { x: 10, y: 0, width: 10, height: 10 })).toBe(false);
});

test("the box around several boxes has room for all of them", () => {
  const boxes = [
    { x: 0, y: 5, width: 10, height: 10 },
    { x: -5, y: 0, width: 1, height: 40 },
  ];
  expect(boxAround(boxes)).toEqual({ x: -5, y: 0, width: 15, height: 40 });
  expect(boxAround([])).toBeNull();
});

test("a view moves no further than it must to show a box", () => {
  const here = { x: 0, y: 0, width: 1000, height: 500 };
  const room = { width: 20, height: 10 };
  expect(scrollToShow(here, { x: 100, y: 100, width: 50, height: 50 }, room)).toEqual({
    x: 0,
    y: 0,
  });
  expect(scrollToShow(here, { x: 100, y: 480, width: 50, height: 50 }, room)).toEqual({
    x: 0,
    y: 40,
  });
  expect(scrollToShow(here, { x: -40, y: 100, width: 50, height: 50 }, room)).toEqual({
    x: -60,
    y: 0,
  });
});

test("of what is larger than the view its beginning is shown", () => {
  const here = { x: 0, y: 0, width: 1000, height: 500 };
  expect(
    scrollToShow(here, { x: 0, y: 300, width: 50, height: 900 }, { width: 0, height: 10 }).y,
  ).toBe(290);
});
