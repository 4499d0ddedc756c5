/** People and their addresses. */
import { describe, expect, it } from "vitest";
import { displayName, parseEmails } from "./userApi";

describe("addresses to invite", () => {
  it("are taken from a list in any form, each once", () => {
    expect(parseEmails("Ada@Example.com, bob@example.com;\nada@example.com")).toEqual({
      addresses: ["ada@example.com", "bob@example.com"],
      wrong: [],
    });
  });

  it("that are none are told apart", () => {
    expect(parseEmails("ada, b@c")).toEqual({ addresses: ["b@c"], wrong: ["ada"] });
  });
});

describe("a person", () => {
  it("without a name is called by the address", () => {
    expect(displayName({ email: "a@b.c", firstName: "", lastName: "" })).toBe("a@b.c");
    expect(displayName({ email: "a@b.c", firstName: "Ada" })).toBe("Ada");
  });
});
