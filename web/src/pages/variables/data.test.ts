/** Names of variables. */
import { describe, expect, it } from "vitest";
import { keyProblem } from "./data";

describe("the name of a variable", () => {
  it("can be written in an expression", () => {
    expect(keyProblem("API_URL_2")).toBeUndefined();
    expect(keyProblem("2nd")).toMatch(/no digit at the start/);
    expect(keyProblem("a-b")).toMatch(/only/);
    expect(keyProblem("")).toMatch(/needed/);
    expect(keyProblem("a".repeat(51))).toMatch(/at most/);
  });
});
