import { describe, expect, test } from "vitest";
import { scoreText, searchNodes } from "./nodeSearch";
import { SPECS, spec } from "./testSpecs";

describe("search", () => {
  const names = (
    query: string,
    wanted: Parameters<typeof searchNodes>[2] = null,
    uses = new Map<string, number>(),
  ) => searchNodes(SPECS, query, wanted, uses).map((found) => found.spec.name);

  test("the nearest name comes first", () => {
    expect(names("webhook")).toEqual(["Webhook", "Respond to Webhook"]);
    expect(names("http")[0]).toBe("HTTP Request");
    expect(names("hr")[0]).toBe("HTTP Request");
    expect(names("htpreq")[0]).toBe("HTTP Request");
  });

  test("aliases and summaries are searched too", () => {
    expect(names("curl")).toEqual(["HTTP Request"]);
    expect(names("web service")).toContain("HTTP Request");
    expect(names("set")[0]).toBe("Edit Fields");
  });

  test("only what fits the port is offered", () => {
    expect(names("", { kind: "ai_tool", side: "input" })).toEqual(["Calculator"]);
    expect(names("", { kind: "main", side: "output" })).not.toContain("Webhook");
  });

  test("a node that stands by itself comes before one that serves another by the same name", () => {
    const tool = spec("HTTP Request", {
      id: "http-request-tool",
      inputs: [],
      outputs: [{ kind: "ai_tool" }],
    });
    expect(
      searchNodes([tool, ...SPECS], "http", null, new Map()).map((found) => found.spec.id)[0],
    ).not.toBe("http-request-tool");
  });

  test("what was used before comes first among equals", () => {
    expect(names("", null, new Map([["n8n-nodes-base.code", 5]]))[0]).toBe("Code");
  });

  test("older types are only found by name", () => {
    expect(names("")).not.toContain("Cron");
    expect(names("cron")).toEqual(["Cron"]);
  });

  test("a coincidence of letters is no match", () => {
    expect(scoreText("respond to webhook", "rtb")).toBe(0);
  });
});
