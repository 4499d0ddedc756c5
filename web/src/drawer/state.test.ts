import { expect, it } from "vitest";
import { readKept } from "./state";

it("stands as it stood the last time", () => {
  expect(readKept('{"tab":"chat","height":333,"isOpen":true}')).toEqual({ tab: "chat", height: 333, isOpen: true });
});

it("takes nothing from the browser that cannot be", () => {
  expect(readKept('{"tab":"cellar","height":-5,"isOpen":"yes"}')).toEqual({ tab: "logs", height: 140, isOpen: false });
  expect(readKept("{")).toEqual({ tab: "logs", height: 280, isOpen: false });
  expect(readKept(null).tab).toBe("logs");
});
