/** API keys and their scopes. */
import { describe, expect, it } from "vitest";
import { describeScopes, expiryDate, readOnlyScopes, scopeGroups } from "./apiKeyApi";

describe("scopes", () => {
  it("are grouped by what they are about", () => {
    expect(scopeGroups(["workflow:list", "tag:list", "workflow:read"])).toEqual([
      { about: "workflow", scopes: ["workflow:list", "workflow:read"] },
      { about: "tag", scopes: ["tag:list"] },
    ]);
  });

  it("are told in few words", () => {
    expect(describeScopes(["*"])).toBe("All your permissions");
    expect(describeScopes(["a:b"])).toBe("a:b");
    expect(describeScopes(["a:b", "c:d", "e:f", "g:h"])).toBe("a:b, c:d and 2 more");
  });

  it("that only read can be chosen together", () => {
    expect(readOnlyScopes(["workflow:list", "workflow:update", "dataTable:readRow"])).toEqual([
      "workflow:list",
      "dataTable:readRow",
    ]);
  });
});

describe("the end of a key", () => {
  it("is counted in days, or never", () => {
    expect(expiryDate(0, new Date(0))).toBe(null);
    expect(expiryDate(1, new Date(0))).toBe("1970-01-02T00:00:00.000Z");
  });
});
