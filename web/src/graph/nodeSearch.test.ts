import { describe, expect, test } from "vitest";
import type { TriggerKind } from "../api/spec";
import { scoreText, searchNodes } from "./nodeSearch";
import { SPECS, spec } from "./testSpecs";
import type { TypeSpec } from "./typeSpec";

describe("search", () => {
  const names = (
    query: string,
    wanted: Parameters<typeof searchNodes>[2] = null,
    uses = new Map<string, number>(),
  ) =>
    searchNodes(SPECS, query, wanted, { uses, triggers: new Set() }).map(
      (found) => found.spec.name,
    );
  const ids = (specs: TypeSpec[], query: string, triggers: TriggerKind[] = []) =>
    searchNodes(specs, query, null, { uses: new Map(), triggers: new Set(triggers) }).map(
      (found) => found.spec.id,
    );

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
    expect(ids([tool, ...SPECS], "http")[0]).not.toBe("http-request-tool");
  });

  test("what was used before comes first among equals", () => {
    expect(names("", null, new Map([["n8n-nodes-base.code", 5]]))[0]).toBe("Code");
  });

  test("of nodes that do the same the recommended one comes first", () => {
    const agents = [
      spec("Agent Core", { id: "agent-core" }),
      spec("AI Agent (n8n)", { id: "n8n-agent", standing: "compatible" }),
      spec("AI Agent", { id: "ai-agent", standing: "recommended" }),
    ];
    expect(ids(agents, "agent")).toEqual(["ai-agent", "agent-core", "n8n-agent"]);
    expect(ids(agents, "ai agent")).toEqual(["ai-agent", "n8n-agent"]);
  });

  test("what answers the caller of the workflow comes first", () => {
    const answers = [
      spec("Respond to Chat", { id: "to-chat", answers: ["chat"] }),
      spec("Respond to Webhook", { id: "to-webhook", answers: ["webhook"] }),
    ];
    expect(ids(answers, "respond", ["webhook"])).toEqual(["to-webhook", "to-chat"]);
    expect(ids(answers, "respond", ["chat"])).toEqual(["to-chat", "to-webhook"]);
  });

  test("older types are only found by name", () => {
    expect(names("")).not.toContain("Cron");
    expect(names("cron")).toEqual(["Cron"]);
  });

  test("a coincidence of letters is no match", () => {
    expect(scoreText("respond to webhook", "rtb")).toBe(0);
  });
});
