import { beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError, setCsrf } from "./client";
import { buildReport, MAX_REPORTS, reportError, startErrorReporting } from "./errorReporter";

const sent: { url: string; body: Record<string, string>; headers: Record<string, string> }[] = [];
const listeners = new Map<string, (event: unknown) => void>();
const fetched = vi.fn(
  async (url: string, options: { body: string; headers: Record<string, string> }) => {
    sent.push({ url, body: JSON.parse(options.body), headers: options.headers });
    return new Response(null, { status: 204 });
  },
);

vi.stubGlobal("fetch", fetched);
vi.stubGlobal("window", {
  location: { pathname: "/workflow/new" },
  addEventListener: (name: string, listener: (event: unknown) => void) =>
    listeners.set(name, listener),
});

beforeEach(() => {
  sent.length = 0;
  setCsrf("token");
});

describe("issue_14_00_errors_of_the_editor_are_reported_to_the_server", () => {
  it("those that nobody caught and those that a boundary did, each once", () => {
    startErrorReporting();
    listeners.get("error")?.({ error: new TypeError("one"), message: "one" });
    listeners.get("unhandledrejection")?.({ reason: new Error("two") });
    reportError(new Error("three"), { part: "The node panel", components: "\n    at Opened" });
    const again = new Error("four");
    for (let n = 0; n < 5; n++) reportError(again);
    expect(sent.map((one) => one.body.message)).toEqual([
      "TypeError: one",
      "Error: two",
      "Error: three",
      "Error: four",
    ]);
    expect(sent[0]).toMatchObject({
      url: "/api/v1/client-errors",
      headers: { "x-csrf-token": "token" },
    });
    expect(sent[2]?.body).toMatchObject({ part: "The node panel", page: "/workflow/new" });
    expect(sent[2]?.body.stack).toContain("at Opened");
    expect(sent[0]?.body.build).toMatch(/^errorReporter.*\.ts$/);
  });

  it("but not while nobody is signed in", () => {
    setCsrf(null);
    reportError(new Error("five"));
    expect(sent).toEqual([]);
  });

  it("and never more than a few, nor about reports that failed", async () => {
    fetched.mockImplementationOnce(() => Promise.reject(new TypeError("offline")));
    for (let n = 0; n < 50; n++) reportError(new Error(`storm ${n}`));
    await Promise.resolve();
    expect(sent.length).toBeLessThanOrEqual(MAX_REPORTS);
    expect(sent.map((one) => one.body.message).join()).not.toContain("offline");
  });

  it("whatever was thrown", () => {
    const evil = new Proxy(
      {},
      {
        get: () => {
          throw new Error("no");
        },
      },
    );
    for (const thrown of [undefined, null, 3, Symbol("a"), Object.create(null), evil]) {
      expect(() => reportError(thrown)).not.toThrow();
    }
  });
});

describe("a report", () => {
  const of = (error: unknown) => buildReport(error, {}, "/setup?token=secret#secret");

  it("has no query of the page, and nothing of the server's words", () => {
    const answer = new ApiError(422, "NODE_PARAMETER", "The address ada@example.com is wrong");
    answer.stack = "";
    expect(of(answer)).toMatchObject({ message: "ApiError: 422 NODE_PARAMETER", page: "/setup" });
    expect(JSON.stringify(of(answer))).not.toContain("example.com");
  });

  it("is not made of what is no mistake", () => {
    expect(of(new ApiError(0, "SERVER_UNREACHABLE", "Heddle is not responding"))).toBeNull();
    expect(of(new ApiError(401, "ACCESS_DENIED", "No session"))).toBeNull();
    expect(of(new DOMException("stopped", "AbortError"))).toBeNull();
    expect(of("ResizeObserver loop completed with undelivered notifications.")).toBeNull();
    expect(of("Script error.")).toBeNull();
    const theirs = new Error("theirs");
    theirs.stack = "Error: theirs\n    at chrome-extension://abc/content.js:1:2";
    expect(of(theirs)).toBeNull();
  });

  it("is of a size that the server takes", () => {
    const error = new Error("x".repeat(10_000));
    expect(JSON.stringify(of(error)).length).toBeLessThan(6_000);
  });
});
