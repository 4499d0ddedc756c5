/** How limits are told. */
import { describe, expect, it } from "vitest";
import { describeLimit } from "./instanceApi";

describe("a limit", () => {
  it("has a name in words and a value with its unit", () => {
    expect(describeLimit("bodyBytes", 16_000_000)).toEqual(["Request body size", "16 MB"]);
    expect(describeLimit("runTimeoutMs", 30_000)).toEqual(["Run timeout", "30 s"]);
    expect(describeLimit("concurrency", 20)).toEqual(["Concurrency", "20"]);
    expect(describeLimit("tableBytes", null)).toEqual(["Table", "None"]);
  });
});
