/** How names in code read as words. */
import { expect, it } from "vitest";
import { humanize } from "./humanize";

it("spells names out and keeps acronyms", () => {
  expect(humanize("accessTokenUrl")).toBe("Access token URL");
  expect(humanize("api_key")).toBe("API key");
});
