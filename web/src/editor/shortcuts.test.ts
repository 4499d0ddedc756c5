import { expect, test } from "vitest";
import { commandOf } from "./shortcuts";

const press = (key: string, held = "") =>
  commandOf({
    key,
    ctrlKey: held.includes("c"),
    metaKey: held.includes("m"),
    shiftKey: held.includes("s"),
    altKey: held.includes("a"),
  });

test("n8n's keys do what they do there", () => {
  expect(press("Tab")).toBe("add");
  expect(press("S", "s")).toBe("note");
  expect(press("s", "c")).toBe("save");
  expect(press("Z", "cs")).toBe("redo");
  expect(press("F2")).toBe("rename");
});

test("the command key of a Mac is as good as Ctrl", () => {
  expect(press("Enter", "m")).toBe("run");
});

test("a character is the same wherever it is on the keyboard", () => {
  expect(press("/", "s")).toBe("add");
  expect(press("+", "s")).toBe("zoomIn");
});

test("a letter with another key held is not the letter", () => {
  expect(press("d", "a")).toBeUndefined();
  expect(press("p", "c")).toBeUndefined();
});
