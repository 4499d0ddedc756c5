/** What cells show, and what typing makes of them. */
import { describe, expect, it } from "vitest";
import { fittingCell, misfits, shownCell, typedCell } from "./cells";

describe("cells", () => {
  it("show values plainly", () => {
    expect(shownCell(null, "string")).toBe("");
    expect(shownCell(false, "boolean")).toBe("false");
    expect(shownCell("2026-01-31T14:30:00.000Z", "date")).toBe("2026-01-31 14:30");
    expect(shownCell("2026-01-31T14:30:07.000Z", "date")).toBe("2026-01-31 14:30:07");
    expect(shownCell("2026-01-31T00:00:00.000Z", "date"), "a day has no time").toBe("2026-01-31");
    expect(shownCell("2026-01-31T00:00:30.000Z", "date")).toBe("2026-01-31 00:00:30");
    expect(shownCell("someday", "date")).toBe("someday");
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
      expect(typedCell(text, kind)).toEqual({ value });
    }
  });

  it("say why something is no value", () => {
    expect(typedCell("three", "number")).toHaveProperty("problem");
    expect(typedCell("maybe", "boolean")).toHaveProperty("problem");
    expect(typedCell("tomorrow", "date")).toHaveProperty("problem");
    expect(typedCell("2026-02-30", "date"), "a day that is not in the calendar").toHaveProperty("problem");
    expect(typedCell("2028-02-29", "date")).toEqual({ value: "2028-02-29T00:00:00.000Z" });
  });

  it("of a file that do not fit are told before they are left empty", () => {
    expect(misfits(["3", "", "x", "4,5"], "number")).toEqual({ count: 2, first: "x", row: 3 });
    expect(misfits(["3", ""], "number")).toBeNull();
    expect(["x", " 3 ", ""].map((text) => fittingCell(text, "number"))).toEqual([null, 3, null]);
    expect([fittingCell("no", "boolean"), fittingCell("perhaps", "boolean")]).toEqual([false, null]);
  });
});
