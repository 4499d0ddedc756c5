/** What goes along when a row is dragged. */
import { expect, it } from "vitest";
import { taken } from "./dragging";

it("takes all chosen rows along if the dragged one is among them, else only that one", () => {
  const chosen = new Set(["a", "b"]);
  expect(taken("a", chosen)).toEqual(["a", "b"]);
  expect(taken("c", chosen)).toEqual(["c"]);
});
