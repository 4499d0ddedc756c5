import { expect, it } from "vitest";
import { rowsInSight } from "./window";

it("draws what is in sight and a little more", () => {
  expect(rowsInSight(0, 300, 30, 1000, 2)).toEqual([0, 12]);
  expect(rowsInSight(3000, 300, 30, 1000, 2)).toEqual([98, 112]);
});

it("draws no row that is not there", () => {
  expect(rowsInSight(0, 300, 30, 3)).toEqual([0, 3]);
  expect(rowsInSight(9000, 300, 30, 3)).toEqual([3, 3]);
  expect(rowsInSight(0, 0, 30, 0)).toEqual([0, 0]);
});
