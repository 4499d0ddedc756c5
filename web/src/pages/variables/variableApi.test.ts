/** Names of variables. */
import { describe, expect, it } from "vitest";
import { keyProblem } from "./variableApi";

describe("the name of a variable", () => {
  it("can be written in an expression", () => {
    expect(keyProblem("API_URL_2")).toBeUndefined();
    expect(keyProblem("2nd")).toMatch(/not start with a digit/);
    expect(keyProblem("a-b")).toMatch(/only/);
    expect(keyProblem("")).toMatch(/Enter a name/);
    expect(keyProblem("a".repeat(51))).toMatch(/at most/);
  });
});
