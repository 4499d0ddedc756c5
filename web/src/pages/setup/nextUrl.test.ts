/** Where signing in leads. */
import { describe, expect, it } from "vitest";
import { safeNextUrl } from "./nextUrl";

describe("after signing in", () => {
  it("the page that was asked for is shown", () => {
    expect(safeNextUrl("/workflow/7?x=1")).toBe("/workflow/7?x=1");
  });

  it("no other site's page is shown, and not the sign-in again", () => {
    for (const bad of [
      null,
      "",
      "https://evil.example",
      "//evil.example",
      "/\\evil.example",
      "/signin?next=/signin",
    ]) {
      expect(safeNextUrl(bad)).toBe("/workflows");
    }
  });
});
