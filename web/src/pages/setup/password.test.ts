/** What is said about passwords while they are typed. */
import { describe, expect, it } from "vitest";
import { isEmail, passwordProblem, strength } from "./password";

describe("a new password", () => {
  it("needs enough letters, counted as people count", () => {
    expect(passwordProblem("")).toMatch(/needed/);
    expect(passwordProblem("1234567")).toBe("1 more letters are needed.");
    expect(passwordProblem("🔑🔑🔑🔑🔑🔑🔑🔑")).toBeUndefined();
  });

  it("is better the longer it is", () => {
    expect(strength("aaaaaaaaaaaaaaaaaaaa")).toBe("weak");
    expect(strength("password")).toBe("weak");
    expect(strength("Password1")).toBe("fair");
    expect(strength("correct horse battery")).toBe("good");
  });
});

describe("an e-mail address", () => {
  it("has something on both sides of the sign", () => {
    expect(isEmail("ada@example.com")).toBe(true);
    expect(isEmail("ada@")).toBe(false);
    expect(isEmail("a b@c.d")).toBe(false);
  });
});
