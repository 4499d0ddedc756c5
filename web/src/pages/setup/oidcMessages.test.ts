import { expect, it } from "vitest";
import { oidcMessage } from "./oidcMessages";

it("explains what it knows and nothing that somebody made up", () => {
  expect(oidcMessage("denied", "single sign-on")).toMatch(/^Single sign-on did not let you in/);
  expect(oidcMessage("unknown", null)).toContain("invite you");
  for (const word of [null, "", "toString", "__proto__", "Your account is locked, call 555"])
    expect(oidcMessage(word, "Okta")).toBeNull();
});
