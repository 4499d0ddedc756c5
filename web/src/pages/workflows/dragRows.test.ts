/** What goes along when a row is dragged. */
import { expect, it } from "vitest";
import { draggedIds } from "./dragRows";

it("takes all chosen rows along if the dragged one is among them, else only that one", () => {
  const chosen = new Set(["a", "b"]);
  expect(draggedIds("a", chosen)).toEqual(["a", "b"]);
  expect(draggedIds("c", chosen)).toEqual(["c"]);
});
