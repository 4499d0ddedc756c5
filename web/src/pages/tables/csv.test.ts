/** How CSV files are read. */
import { describe, expect, it } from "vitest";
import { guessColumnKind, parseCsv, uniqueColumnName } from "./csv";

describe("reading CSV", () => {
  it("takes quotes, line breaks and doubled quotes", () => {
    expect(parseCsv('a,b\r\n"x, ""y""","two\nlines"\r\n')).toEqual({
      names: ["a", "b"],
      rows: [['x, "y"', "two\nlines"]],
    });
  });

  it("finds out what stands between the columns", () => {
    expect(parseCsv("a;b\n1;2")).toEqual({ names: ["a", "b"], rows: [["1", "2"]] });
    expect(parseCsv('"a,b"\tc\n1\t2')).toEqual({ names: ["a,b", "c"], rows: [["1", "2"]] });
  });

  it("fills short rows and leaves empty lines out", () => {
    expect(parseCsv("\uFEFFa,b\n\n1\n")).toEqual({ names: ["a", "b"], rows: [["1", ""]] });
  });

  it("says what is wrong", () => {
    expect(parseCsv("")).toHaveProperty("problem");
    expect(parseCsv('a\n"x')).toHaveProperty("problem");
  });
});

describe("columns of a file", () => {
  it("have the type that all their values agree on", () => {
    expect(guessColumnKind(["1", "-2.5", ""])).toBe("number");
    expect(guessColumnKind(["007", "8"])).toBe("string");
    expect(guessColumnKind(["true", "FALSE"])).toBe("boolean");
    expect(guessColumnKind(["2026-01-31", "2026-02-01T10:00:00Z"])).toBe("date");
    expect(guessColumnKind(["2026-13-31"])).toBe("string");
    expect(guessColumnKind([""])).toBe("string");
  });

  it("have names that a table takes, each once", () => {
    expect(uniqueColumnName("E-Mail Adresse", [])).toBe("E_Mail_Adresse");
    expect(uniqueColumnName("Größe", [])).toBe("Gro_e");
    expect(uniqueColumnName("2nd", [])).toBe("c_2nd");
    expect(uniqueColumnName("id", [])).toBe("id_2");
    expect(uniqueColumnName("a", ["A", "a_2"])).toBe("a_3");
    expect(uniqueColumnName("???", [])).toBe("column");
  });
});
