import { describe, expect, it } from "vitest";
import { type DiffLine, diffLines, hunks } from "./lineDiff";

const rebuilt = (lines: readonly DiffLine[], without: DiffLine["kind"]) =>
  lines.filter((line) => line.kind !== without).map((line) => line.text);

describe("the difference of two texts", () => {
  it("is the shortest way from one to the other", () => {
    const lines = diffLines("a\nb\nc\na\nb\nb\na", "c\nb\na\nb\na\nc");
    expect(rebuilt(lines, "added").join("\n")).toBe("a\nb\nc\na\nb\nb\na");
    expect(rebuilt(lines, "removed").join("\n")).toBe("c\nb\na\nb\na\nc");
    expect(lines.filter((line) => line.kind !== "same")).toHaveLength(5);
  });

  it("gives both texts back, whatever they are", () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed / 2147483648;
    };
    for (let turn = 0; turn < 200; turn++) {
      const make = () =>
        Array.from(
          { length: 1 + Math.floor(random() * 12) },
          () => "abc"[Math.floor(random() * 3)],
        ).join("\n");
      const [a, b] = [make(), make()];
      const lines = diffLines(a, b);
      expect(rebuilt(lines, "added").join("\n")).toBe(a);
      expect(rebuilt(lines, "removed").join("\n")).toBe(b);
    }
  });

  it("is nothing for the same text, and everything where one is empty", () => {
    expect(diffLines("a\nb", "a\nb").every((line) => line.kind === "same")).toBe(true);
    expect(diffLines("", "a\nb").map((line) => line.kind)).toEqual(["added", "added"]);
    expect(diffLines("", "")).toEqual([]);
  });

  it("folds what is far from any change", () => {
    const text = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const after = text.map((line, at) => (at === 10 ? "other" : line));
    const shown = hunks(diffLines(text.join("\n"), after.join("\n")), 2);
    expect(shown[0]).toEqual({ kind: "gap", n: 8 });
    expect(shown.at(-1)).toEqual({ kind: "gap", n: 7 });
    expect(shown).toHaveLength(1 + 2 + 2 + 2 + 1);
  });

  it("does not hang on two long texts that share nothing", () => {
    const long = (word: string) =>
      Array.from({ length: 5000 }, (_, at) => `${word} ${at}`).join("\n");
    expect(diffLines(long("a"), long("b"))).toHaveLength(10_000);
  });
});
