import { beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError, api } from "./client";
import { urlPath } from "./url";

const asked: string[] = [];

vi.stubGlobal("fetch", async (url: string) => {
  asked.push(url);
  return new Response("{}", { status: 200 });
});

beforeEach(() => {
  asked.length = 0;
});

describe("issue_14_00_no_id_leads_a_request_elsewhere", () => {
  const elsewhere = [
    "/executions/../../../webhook/evil",
    "/executions/..\\..\\..\\webhook\\evil/outline",
    "/executions/%2e%2e/%2E%2e/x",
    "/executions/.%2e/x",
    "/executions/./x",
    "/executions/..",
    "/executions/1\t/x",
    "/executions/a b",
    "\\evil.example/x",
  ];

  it.each(elsewhere)("%j is refused before it is sent", async (path) => {
    for (const sent of [api.get(path), api.post(path), api.raw("GET", `/api/v1${path}`)])
      await expect(sent).rejects.toMatchObject({ name: "ApiError", code: "ADDRESS_INVALID" });
    expect(asked).toEqual([]);
  });

  it.each([
    "//evil.example/x",
    "https://evil.example/x",
    "/\\evil.example",
    "/\t/evil.example",
    "javascript:1",
    "x",
    "",
  ])("%j is none of this server's addresses", async (address) => {
    await expect(api.raw("GET", address)).rejects.toBeInstanceOf(ApiError);
    expect(asked).toEqual([]);
  });

  it("what is put into a path stays one part of it", async () => {
    const ids = [
      "../../../webhook/evil?",
      "..\\..\\x",
      "1?a=b",
      "1#x",
      "a b",
      "%2e%2e",
      "\u{d800}",
      "7",
    ];
    for (const id of ids) await api.get(urlPath`/executions/${id}/outline`);
    expect(asked).toHaveLength(ids.length);
    for (const address of asked) {
      const { pathname, search, hash } = new URL(address, "http://x.invalid");
      expect(pathname).toMatch(/^\/api\/v1\/executions\/[^/]+\/outline$/);
      expect(search + hash).toBe("");
    }
    await expect(api.get(urlPath`/executions/${".."}/outline`)).rejects.toMatchObject({
      code: "ADDRESS_INVALID",
    });
  });

  it("queries are written as before", async () => {
    await api.get("/executions", { limit: 5, search: "../x", none: undefined });
    expect(asked).toEqual(["/api/v1/executions?limit=5&search=..%2Fx"]);
  });
});
