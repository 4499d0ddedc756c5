/** What cells show, and what typing makes of them. */
import { describe, expect, it } from "vitest";
import { coerceCell, findMisfits, formatCell, parseCell } from "./cellValues";

describe("cells", () => {
  it("show values plainly", () => {
    expect(formatCell(null, "string")).toBe("");
    expect(formatCell(false, "boolean")).toBe("false");
    expect(formatCell("2026-01-31T14:30:00.000Z", "date")).toBe("2026-01-31 14:30");
    expect(formatCell("2026-01-31T14:30:07.000Z", "date")).toBe("2026-01-31 14:30:07");
    expect(formatCell("2026-01-31T00:00:00.000Z", "date"), "a day has no time").toBe("2026-01-31");
    expect(formatCell("2026-01-31T00:00:30.000Z", "date")).toBe("2026-01-31 00:00:30");
    expect(formatCell("someday", "date")).toBe("someday");
  });

  it("read back what they show", () => {
    for (const [text, kind, value] of [
      ["2026-01-31 14:30", "date", "2026-01-31T14:30:00.000Z"],
      ["2026-01-31", "date", "2026-01-31T00:00:00.000Z"],
      ["-3.5", "number", -3.5],
      ["yes", "boolean", true],
      ["", "number", null],
      [" x", "string", " x"],
    ] as const) {
      expect(parseCell(text, kind)).toEqual({ value });
    }
  });

  it("say why something is no value", () => {
    expect(parseCell("three", "number")).toHaveProperty("problem");
    expect(parseCell("maybe", "boolean")).toHaveProperty("problem");
    expect(parseCell("tomorrow", "date")).toHaveProperty("problem");
    expect(parseCell("2026-02-30", "date"), "a day that is not in the calendar").toHaveProperty(
      "problem",
    );
    expect(parseCell("2028-02-29", "date")).toEqual({ value: "2028-02-29T00:00:00.000Z" });
  });

  it("of a file that do not fit are told before they are left empty", () => {
    expect(findMisfits(["3", "", "x", "4,5"], "number")).toEqual({ count: 2, first: "x", row: 3 });
    expect(findMisfits(["3", ""], "number")).toBeNull();
    expect(["x", " 3 ", ""].map((text) => coerceCell(text, "number"))).toEqual([null, 3, null]);
    expect([coerceCell("no", "boolean"), coerceCell("perhaps", "boolean")]).toEqual([false, null]);
  });
});
