import { expect, it } from "vitest";
import { visibleRows } from "./visibleRows";

it("draws what is in sight and a little more", () => {
  expect(visibleRows(0, 300, 30, 1000, 2)).toEqual([0, 12]);
  expect(visibleRows(3000, 300, 30, 1000, 2)).toEqual([98, 112]);
});

it("draws no row that is not there", () => {
  expect(visibleRows(0, 300, 30, 3)).toEqual([0, 3]);
  expect(visibleRows(9000, 300, 30, 3)).toEqual([3, 3]);
  expect(visibleRows(0, 0, 30, 0)).toEqual([0, 0]);
});
