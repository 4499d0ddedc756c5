/** Rules, limits and verdicts in words, and the order in which changed verdicts are told. */
import { describe, expect, it } from "vitest";
import type { PolicyChange, PolicyVerdict } from "../../api/generated";
import { entryProblems, newEntry, type PolicyEntry } from "./policyEntry";
import {
  changeCounts,
  conditionSentence,
  groupChanges,
  limitWords,
  or,
  orderChanges,
  windowWords,
} from "./policyWords";

describe("an entry in words", () => {
  const sentence = (entry: PolicyEntry, workflowName?: (id: string) => string) =>
    conditionSentence(entry, workflowName)
      .map((piece) => (typeof piece === "string" ? piece : piece.name))
      .join("");

  it("says all that must match", () => {
    const entry = {
      ...newEntry("rule"),
      tools: ["send_*", "mail"],
      workflows: ["7"],
      effects: ["send", "spend"],
      untrusted: true,
      private: false,
      arguments: [{ path: "to", test: "none_of" as const, value: "*@a.example, *@b.example" }],
    };
    expect(sentence(entry, (id) => `Desk ${id}`)).toBe(
      "If the tool is send_* or mail and the workflow is Desk 7 and it sends data out or spends money and argument to is none of *@a.example or *@b.example, after untrusted content, without access to private data",
    );
    expect(sentence(newEntry("rule"))).toBe("Every call");
    expect(sentence({ ...newEntry("rule"), untrusted: true })).toBe("After untrusted content");
    expect(sentence({ ...newEntry("effect"), tools: ["a", "b", "c"] })).toBe(
      "If the tool is a, b or c",
    );
    expect(sentence({ ...newEntry("limit"), servers: ["files"] })).toBe(
      "10 calls per conversation in 1 h, if its MCP server is files",
    );
    expect(sentence(newEntry("limit"))).toBe("10 calls per conversation in 1 h, for every call");
  });

  it("counts calls in windows that people know", () => {
    expect(limitWords({ ...newEntry("limit"), calls: 1, seconds: 90, per: "tool" })).toBe(
      "1 call per tool in 90 s",
    );
    expect([60, 7200, 86_400, 604_800, 3601].map(windowWords)).toEqual([
      "1 min",
      "2 h",
      "1 day",
      "7 days",
      "3601 s",
    ]);
    expect(or(["a", "b", "c"])).toBe("a, b or c");
  });

  it("cannot be written without what the server needs", () => {
    expect(entryProblems(newEntry("limit"))).toEqual([]);
    expect(entryProblems({ ...newEntry("limit"), calls: 1.5, seconds: 0 })).toHaveLength(2);
    const tests = [
      { path: "", test: "above" as const, value: "x" },
      { path: "to", test: "one_of" as const, value: " , " },
    ];
    expect(entryProblems({ ...newEntry("rule"), arguments: tests })).toEqual([
      "path",
      "value",
      "value",
    ]);
  });
});

describe("changed verdicts", () => {
  const verdict = (action: PolicyVerdict["action"], rule: string | null = null) => ({
    action,
    rule,
  });
  const change = (
    now: PolicyVerdict["action"],
    then: PolicyVerdict["action"],
    more: Partial<PolicyChange> = {},
  ): PolicyChange => ({
    executionId: "1",
    workflowId: "w",
    agent: "Agent",
    tool: "mail",
    effect: "send",
    now: verdict(now),
    // biome-ignore lint/suspicious/noThenProperty: the API calls it so.
    then: verdict(then),
    ...more,
  });

  it("tell what is newly denied first, and what is only another rule last", () => {
    const changes = [
      change("deny", "deny"),
      change("deny", "allow"),
      change("allow", "approve"),
      change("approve", "deny"),
    ];
    expect(orderChanges(changes).map(({ now, then }) => `${now.action} ${then.action}`)).toEqual([
      "approve deny",
      "allow approve",
      "deny allow",
      "deny deny",
    ]);
    const counts = { calls: 4, allowed: 1, approvals: 1, denied: 2, skippedExecutions: 0 };
    expect(changeCounts({ ...counts, changed: changes })).toEqual({ stricter: 2, laxer: 1 });
  });

  it("are one row per tool, with every execution once", () => {
    const groups = groupChanges([
      change("allow", "deny", { executionId: "9" }),
      change("allow", "deny", { executionId: "9" }),
      change("allow", "deny", { executionId: "8" }),
      change("allow", "deny", { tool: "pay" }),
    ]);
    expect(groups.map(({ change, calls, executions }) => [change.tool, calls, executions])).toEqual(
      [
        ["mail", 3, ["9", "8"]],
        ["pay", 1, ["1"]],
      ],
    );
  });
});
