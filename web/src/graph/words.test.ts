import { describe, expect, test } from "vitest";
import { differenceOf, summaryOf } from "./diff";
import { removeNodes, rename, setParameter } from "./document";
import { connect } from "./edges";
import { insertNode } from "./insert";
import { find, match } from "./search";
import type { TypeSpec } from "./spec";
import { subtitleOf } from "./subtitle";
import { emptyDocument, type WorkflowDocument, type WorkflowNode } from "./types";

const main = { kind: "main" };
const spec = (name: string, rest: Partial<TypeSpec> = {}): TypeSpec => ({
  id: `n8n-nodes-base.${name[0]?.toLowerCase()}${name.slice(1).replaceAll(" ", "")}`,
  versions: [1],
  name,
  summary: "",
  group: "data",
  inputs: [main],
  outputs: [main],
  params: [],
  ...rest,
});
const SPECS = [
  spec("HTTP Request", { aliases: ["api", "curl", "fetch"], summary: "Call any web service" }),
  spec("Edit Fields", { id: "n8n-nodes-base.set", aliases: ["set"] }),
  spec("Code"),
  spec("Respond to Webhook"),
  spec("Webhook", { group: "trigger", inputs: [] }),
  spec("Cron", { group: "trigger", inputs: [] }),
  spec("Agent", { group: "ai", inputs: [main, { kind: "ai_tool" }] }),
  spec("Calculator", { group: "tool", inputs: [], outputs: [{ kind: "ai_tool" }] }),
];
const types = { find: (type: string) => SPECS.find((one) => one.id === type) };
const node = (name: string, type: string, parameters = {}, position: [number, number] = [0, 0]): WorkflowNode => ({
  id: `id-${name}`,
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion: 1,
  position,
  parameters,
});

describe("search", () => {
  const names = (query: string, wanted: Parameters<typeof find>[2] = null, uses = new Map<string, number>()) =>
    find(SPECS, query, wanted, uses).map((found) => found.spec.name);

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
    const tool = spec("HTTP Request", { id: "http-request-tool", inputs: [], outputs: [{ kind: "ai_tool" }] });
    expect(find([tool, ...SPECS], "http", null, new Map()).map((found) => found.spec.id)[0]).not.toBe("http-request-tool");
  });

  test("what was used before comes first among equals", () => {
    expect(names("", null, new Map([["n8n-nodes-base.code", 5]]))[0]).toBe("Code");
  });

  test("older types are only found by name", () => {
    expect(names("")).not.toContain("Cron");
    expect(names("cron")).toEqual(["Cron"]);
  });

  test("a coincidence of letters is no match", () => {
    expect(match("respond to webhook", "rtb")).toBe(0);
  });
});

describe("subtitles", () => {
  const line = (type: string, parameters: Record<string, unknown>, name = "Node") =>
    subtitleOf(node(name, type, parameters), types.find(`n8n-nodes-base.${type}`));

  test("a request shows its method and address", () => {
    expect(line("httpRequest", { method: "POST", url: "https://api.example.com/users?x=1" })).toBe("POST api.example.com/users");
    expect(line("httpRequest", { url: "=https://a.b/{{ $json.id }}" })).toBe("GET a.b/$json.id");
  });

  test("fields, conditions and schedules are told in words", () => {
    expect(line("set", { assignments: { assignments: [{ name: "a" }, { name: "b" }] } })).toBe("a, b");
    const condition = { leftValue: "={{ $json.n }}", rightValue: 3, operator: { operation: "gt" } };
    expect(line("if", { conditions: { conditions: [condition] } })).toBe("$json.n > 3");
    expect(line("scheduleTrigger", { rule: { interval: [{ field: "minutes", minutesInterval: 5 }] } })).toBe("Every 5 minutes");
    expect(line("scheduleTrigger", { rule: { interval: [{ triggerAtHour: 9 }] } })).toBe("Every day at 09:00");
  });

  test("without anything to say the type's name is enough, and nothing if the node is called so", () => {
    expect(line("agent", {}, "Helper")).toBe("Agent");
    expect(line("agent", {}, "Agent1")).toBe("");
  });
});

describe("adding a node", () => {
  const start: WorkflowDocument = { ...emptyDocument(), nodes: [node("Webhook", "webhook"), node("Code", "code", {}, [400, 0])] };
  const wired = connect(start, { kind: "main", from: "Webhook", output: 0, to: "Code", input: 0 });
  const from = { node: "Webhook", side: "output" as const, kind: "main", index: 0 };
  const set = types.find("n8n-nodes-base.set") as TypeSpec;

  test("from a port it is connected and stands to the right", () => {
    const { document, name } = insertNode(start, types, set, { from });
    expect(document.connections.Webhook?.main?.[0]).toEqual([{ node: name, type: "main", index: 0 }]);
    expect(document.nodes[2]?.position[0]).toBeGreaterThan(0);
  });

  test("into a connection it stands between both ends, and makes room", () => {
    const edge = { kind: "main", from: "Webhook", output: 0, to: "Code", input: 0 };
    const narrow = { ...wired, nodes: [node("Webhook", "webhook"), node("Code", "code", {}, [210, 0])] };
    const { document, name } = insertNode(narrow, types, set, { edge });
    expect(document.connections.Webhook?.main?.[0]?.[0]?.node).toBe(name);
    expect(document.connections[name]?.main?.[0]?.[0]?.node).toBe("Code");
    expect(document.nodes[1]?.position[0]).toBeGreaterThan(210);
  });

  test("a tool hangs below its agent", () => {
    const agent = { ...emptyDocument(), nodes: [node("Agent", "agent")] };
    const { document } = insertNode(agent, types, types.find("n8n-nodes-base.calculator") as TypeSpec, {
      from: { node: "Agent", side: "input", kind: "ai_tool", index: 0 },
    });
    expect(document.connections.Calculator?.ai_tool?.[0]?.[0]?.node).toBe("Agent");
    expect(document.nodes[1]?.position[1]).toBeGreaterThan(64);
  });

  test("a webhook gets an address of its own", () => {
    const { document } = insertNode(emptyDocument(), types, types.find("n8n-nodes-base.webhook") as TypeSpec, {});
    expect(document.nodes[0]?.parameters.path).toBe(document.nodes[0]?.webhookId);
  });

  test("no new node covers another", () => {
    let document = start;
    for (let at = 0; at < 5; at++) document = insertNode(document, types, set, { from }).document;
    expect(new Set(document.nodes.map((one) => one.position.join())).size).toBe(document.nodes.length);
  });
});

describe("difference", () => {
  const base = connect(
    { ...emptyDocument(), nodes: [node("A", "code"), node("B", "code")] },
    { kind: "main", from: "A", output: 0, to: "B", input: 0 },
  );

  test("added, changed, removed and moved are told apart", () => {
    let later = setParameter(base, "A", "x", 1);
    later = { ...removeNodes(later, ["B"]), nodes: [...removeNodes(later, ["B"]).nodes, node("C", "code")] };
    const difference = differenceOf(base, later);
    expect(Object.fromEntries(difference.nodes)).toEqual({ A: "changed", B: "removed", C: "added" });
    expect(difference.details.get("A")).toEqual(["x"]);
    expect(difference.union.nodes.map((one) => one.name)).toEqual(["A", "C", "B"]);
    expect([...difference.edges.values()]).toEqual(["removed"]);
    expect(summaryOf(difference)).toBe("1 added · 1 changed · 1 removed · 1 connection");
  });

  test("a renamed node is the same node, and its connections are too", () => {
    const difference = differenceOf(base, rename(base, "A", "Other"));
    expect(Object.fromEntries(difference.nodes)).toEqual({ Other: "changed" });
    expect(difference.edges.size).toBe(0);
  });

  test("two that are alike do not differ", () => {
    expect(summaryOf(differenceOf(base, structuredClone(base)))).toBe("No difference");
  });
});
