/** Files on their way. */
import { describe, expect, it } from "vitest";
import {
  applyUploadChange,
  nextUpload,
  type Upload,
  type UploadChange,
  uploadProgress,
} from "./uploadQueue";

const file = (name: string, size = 1) => ({ name, size }) as File;
const listOf = (...changes: UploadChange[]) =>
  changes.reduce<readonly Upload[]>(applyUploadChange, []);

describe("uploads", () => {
  it("are taken one at a time, in order", () => {
    const two = listOf({ what: "add", files: [file("a"), file("b")] });
    expect(nextUpload(two)?.file.name).toBe("a");
    expect(nextUpload(applyUploadChange(two, { what: "begin", id: 1 }))).toBeUndefined();
    expect(
      nextUpload(
        listOf(
          { what: "add", files: [file("a"), file("b")] },
          { what: "begin", id: 1 },
          { what: "done", id: 1, chunks: 3 },
        ),
      )?.id,
    ).toBe(2);
  });

  it("that failed can be tried again and do not hold up the others", () => {
    const failed = listOf(
      { what: "add", files: [file("a"), file("b")] },
      { what: "begin", id: 1 },
      { what: "fail", id: 1, error: "x" },
    );
    expect(nextUpload(failed)?.id).toBe(2);
    expect(nextUpload(applyUploadChange(failed, { what: "again", id: 1 }))?.id).toBe(1);
  });

  it("tell how far they are by their size", () => {
    const list = listOf(
      { what: "add", files: [file("a", 30), file("b", 70)] },
      { what: "done", id: 1, chunks: 1 },
    );
    expect(uploadProgress(list)).toBeCloseTo(0.3);
    expect(uploadProgress([])).toBe(0);
  });

  it("leave the list when they have ended", () => {
    const list = listOf(
      { what: "add", files: [file("a"), file("b")] },
      { what: "done", id: 1, chunks: 1 },
      { what: "clear" },
    );
    expect(list.map((upload) => upload.id)).toEqual([2]);
    expect(
      applyUploadChange(list, { what: "add", files: [file("c")] }).map((upload) => upload.id),
    ).toEqual([2, 3]);
  });
});
