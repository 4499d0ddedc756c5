/** API keys and their scopes. */
import { describe, expect, it } from "vitest";
import { endsIn, readingOnly, scopeGroups, scopeWords } from "./keys";

describe("scopes", () => {
  it("are grouped by what they are about", () => {
    expect(scopeGroups(["workflow:list", "tag:list", "workflow:read"])).toEqual([
      { about: "workflow", scopes: ["workflow:list", "workflow:read"] },
      { about: "tag", scopes: ["tag:list"] },
    ]);
  });

  it("are told in few words", () => {
    expect(scopeWords(["*"])).toBe("Everything you may");
    expect(scopeWords(["a:b"])).toBe("a:b");
    expect(scopeWords(["a:b", "c:d", "e:f", "g:h"])).toBe("a:b, c:d and 2 more");
  });

  it("that only read can be chosen together", () => {
    expect(readingOnly(["workflow:list", "workflow:update", "dataTable:readRow"])).toEqual([
      "workflow:list",
      "dataTable:readRow",
    ]);
  });
});

describe("the end of a key", () => {
  it("is counted in days, or never", () => {
    expect(endsIn(0, new Date(0))).toBe(null);
    expect(endsIn(1, new Date(0))).toBe("1970-01-02T00:00:00.000Z");
  });
});
