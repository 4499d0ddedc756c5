/** What is said about passwords while they are typed. */
import { describe, expect, it } from "vitest";
import { isEmail, passwordProblem, passwordStrength } from "./password";

describe("a new password", () => {
  it("needs enough letters, counted as people count", () => {
    expect(passwordProblem("")).toMatch(/Enter a password/);
    expect(passwordProblem("1234567")).toBe("Enter at least 1 more character.");
    expect(passwordProblem("🔑🔑🔑🔑🔑🔑🔑🔑")).toBeUndefined();
  });

  it("is better the longer it is", () => {
    expect(passwordStrength("aaaaaaaaaaaaaaaaaaaa")).toBe("weak");
    expect(passwordStrength("password")).toBe("weak");
    expect(passwordStrength("Password1")).toBe("fair");
    expect(passwordStrength("correct horse battery")).toBe("good");
  });
});

describe("an e-mail address", () => {
  it("has something on both sides of the sign", () => {
    expect(isEmail("ada@example.com")).toBe(true);
    expect(isEmail("ada@")).toBe(false);
    expect(isEmail("a b@c.d")).toBe(false);
  });
});
