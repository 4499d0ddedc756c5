/** Files on their way. */
import { describe, expect, it } from "vitest";
import { type Change, changed, next, progress, type Upload } from "./uploadList";

const file = (name: string, size = 1) => ({ name, size }) as File;
const listOf = (...changes: Change[]) => changes.reduce<readonly Upload[]>(changed, []);

describe("uploads", () => {
  it("are taken one at a time, in order", () => {
    const two = listOf({ what: "add", files: [file("a"), file("b")] });
    expect(next(two)?.file.name).toBe("a");
    expect(next(changed(two, { what: "begin", id: 1 }))).toBeUndefined();
    expect(
      next(listOf({ what: "add", files: [file("a"), file("b")] }, { what: "begin", id: 1 }, { what: "done", id: 1, chunks: 3 }))
        ?.id,
    ).toBe(2);
  });

  it("that failed can be tried again and do not hold up the others", () => {
    const failed = listOf(
      { what: "add", files: [file("a"), file("b")] },
      { what: "begin", id: 1 },
      { what: "fail", id: 1, error: "x" },
    );
    expect(next(failed)?.id).toBe(2);
    expect(next(changed(failed, { what: "again", id: 1 }))?.id).toBe(1);
  });

  it("tell how far they are by their size", () => {
    const list = listOf({ what: "add", files: [file("a", 30), file("b", 70)] }, { what: "done", id: 1, chunks: 1 });
    expect(progress(list)).toBeCloseTo(0.3);
    expect(progress([])).toBe(0);
  });

  it("leave the list when they have ended", () => {
    const list = listOf({ what: "add", files: [file("a"), file("b")] }, { what: "done", id: 1, chunks: 1 }, { what: "clear" });
    expect(list.map((upload) => upload.id)).toEqual([2]);
    expect(changed(list, { what: "add", files: [file("c")] }).map((upload) => upload.id)).toEqual([2, 3]);
  });
});
