/** How limits are told. */
import { describe, expect, it } from "vitest";
import { limitWords } from "./instanceData";

describe("a limit", () => {
  it("has a name in words and a value with its unit", () => {
    expect(limitWords("bodyBytes", 16_000_000)).toEqual(["Body of a request", "16 MB"]);
    expect(limitWords("runTimeoutMs", 30_000)).toEqual(["Run timeout", "30 s"]);
    expect(limitWords("concurrency", 20)).toEqual(["Concurrency", "20"]);
    expect(limitWords("tableBytes", null)).toEqual(["Table", "None"]);
  });
});
