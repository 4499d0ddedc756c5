import { describe, expect, it } from "vitest";
import { crashDetails, isChunkLoadError, thrownMessage } from "./crashReport";

const PAGE = { path: "/workflow/new", agent: "Mozilla/5.0", at: new Date("2026-02-03T14:03:00Z") };

describe("details of a crash", () => {
  it("name the part, the page, the browser, the error and the components", () => {
    const error = new Error("l is not a function");
    error.stack = "Error: l is not a function\n    at l (start-a1.js:1:2)";
    const text = crashDetails(
      { what: "The node panel", error, components: "\n    at Opened\n    at NodePanel\n" },
      PAGE,
    );
    expect(text).toBe(
      [
        "The node panel stopped working",
        "",
        "Time: 2026-02-03T14:03:00.000Z",
        "Page: /workflow/new",
        "Browser: Mozilla/5.0",
        "",
        "Error: l is not a function",
        "    at l (start-a1.js:1:2)",
        "",
        "Components:",
        "    at Opened",
        "    at NodePanel",
      ].join("\n"),
    );
  });

  it("have the message also where the stack does not", () => {
    const error = new TypeError("l is not a function");
    error.stack = "l@start-a1.js:1:2";
    expect(crashDetails({ what: "The canvas", error }, PAGE)).toContain(
      "TypeError: l is not a function\nl@start-a1.js:1:2",
    );
  });

  it("take whatever was thrown", () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    for (const thrown of [
      undefined,
      null,
      4,
      "words",
      circular,
      Object.create(null),
      { message: 3 },
      Symbol("no"),
    ]) {
      expect(crashDetails({ what: "The chat", error: thrown }, PAGE)).toContain(
        "The chat stopped working",
      );
    }
    expect(thrownMessage("words")).toBe("words");
    expect(thrownMessage(circular)).toBe("Unknown error");
  });
});

it("knows a file that could not be loaded, in the words of each browser", () => {
  expect(
    isChunkLoadError(
      new TypeError("Failed to fetch dynamically imported module: http://host/assets/a.js"),
    ),
  ).toBe(true);
  expect(
    isChunkLoadError(
      new TypeError("error loading dynamically imported module: http://host/assets/a.js"),
    ),
  ).toBe(true);
  expect(isChunkLoadError(new TypeError("Importing a module script failed."))).toBe(true);
  expect(isChunkLoadError(new TypeError("l is not a function"))).toBe(false);
});
