import { describe, expect, test } from "vitest";
import { subtitleOf } from "./subtitle";
import { node, types } from "./testSpecs";

describe("subtitles", () => {
  const line = (type: string, parameters: Record<string, unknown>, name = "Node") =>
    subtitleOf(node(name, type, parameters), types.find(`n8n-nodes-base.${type}`));

  test("a request shows its method and address", () => {
    expect(line("httpRequest", { method: "POST", url: "https://api.example.com/users?x=1" })).toBe(
      "POST api.example.com/users",
    );
    expect(line("httpRequest", { url: "=https://a.b/{{ $json.id }}" })).toBe("GET a.b/$json.id");
  });

  test("fields, conditions and schedules are told in words", () => {
    expect(line("set", { assignments: { assignments: [{ name: "a" }, { name: "b" }] } })).toBe(
      "a, b",
    );
    const condition = { leftValue: "={{ $json.n }}", rightValue: 3, operator: { operation: "gt" } };
    expect(line("if", { conditions: { conditions: [condition] } })).toBe("$json.n > 3");
    expect(
      line("scheduleTrigger", { rule: { interval: [{ field: "minutes", minutesInterval: 5 }] } }),
    ).toBe("Every 5 minutes");
    expect(line("scheduleTrigger", { rule: { interval: [{ triggerAtHour: 9 }] } })).toBe(
      "Every day at 09:00",
    );
  });

  test("a template that cannot be filled gives way to the next", () => {
    expect(line("set", { mode: "raw" })).toBe("JSON");
    expect(line("webhook", { path: "orders", httpMethod: ["GET", "POST"] })).toBe(
      "GET, POST /orders",
    );
    expect(line("webhook", { path: "0b6ee8b8-6e9c-4d6b-9e8e-2f1d0c9b8a7f" })).toBe("GET");
    expect(line("wait", { amount: 1, unit: "hours" })).toBe("1 hour");
    expect(line("wait", { resume: "webhook", amount: 1 })).toBe("Wait");
  });

  test("without anything to say the type's name is enough, and nothing if the node is called so", () => {
    expect(line("agent", {}, "Helper")).toBe("Agent");
    expect(line("agent", {}, "Agent1")).toBe("");
  });
});
