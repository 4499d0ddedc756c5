import { expect, it } from "vitest";
import { parseDrawerState } from "./drawerStore";

it("stands as it stood the last time", () => {
  expect(parseDrawerState('{"tab":"chat","height":333,"isOpen":true}')).toEqual({
    tab: "chat",
    height: 333,
    isOpen: true,
  });
});

it("takes nothing from the browser that cannot be", () => {
  expect(parseDrawerState('{"tab":"cellar","height":-5,"isOpen":"yes"}')).toEqual({
    tab: "logs",
    height: 140,
    isOpen: false,
  });
  expect(parseDrawerState("{")).toEqual({ tab: "logs", height: 280, isOpen: false });
  expect(parseDrawerState(null).tab).toBe("logs");
});
