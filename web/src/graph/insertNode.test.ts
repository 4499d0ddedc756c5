import { describe, expect, test } from "vitest";
import { emptyDocument, type WorkflowDocument } from "../api/workflowDocument";
import { connect } from "./edges";
import { insertNode } from "./insertNode";
import { node, types } from "./testSpecs";
import type { TypeSpec } from "./typeSpec";

describe("adding a node", () => {
  const start: WorkflowDocument = {
    ...emptyDocument(),
    nodes: [node("Webhook", "webhook"), node("Code", "code", {}, [400, 0])],
  };
  const wired = connect(start, { kind: "main", from: "Webhook", output: 0, to: "Code", input: 0 });
  const from = { node: "Webhook", side: "output" as const, kind: "main", index: 0 };
  const set = types.find("n8n-nodes-base.set") as TypeSpec;

  test("from a port it is connected and stands to the right", () => {
    const { document, name } = insertNode(start, types, set, { from });
    expect(document.connections.Webhook?.main?.[0]).toEqual([
      { node: name, type: "main", index: 0 },
    ]);
    expect(document.nodes[2]?.position[0]).toBeGreaterThan(0);
  });

  test("into a connection it stands between both ends, and makes room", () => {
    const edge = { kind: "main", from: "Webhook", output: 0, to: "Code", input: 0 };
    const narrow = {
      ...wired,
      nodes: [node("Webhook", "webhook"), node("Code", "code", {}, [210, 0])],
    };
    const { document, name } = insertNode(narrow, types, set, { edge });
    expect(document.connections.Webhook?.main?.[0]?.[0]?.node).toBe(name);
    expect(document.connections[name]?.main?.[0]?.[0]?.node).toBe("Code");
    expect(document.nodes[1]?.position[0]).toBeGreaterThan(210);
  });

  test("a tool hangs below its agent", () => {
    const agent = { ...emptyDocument(), nodes: [node("Agent", "agent")] };
    const { document } = insertNode(
      agent,
      types,
      types.find("n8n-nodes-base.calculator") as TypeSpec,
      {
        from: { node: "Agent", side: "input", kind: "ai_tool", index: 0 },
      },
    );
    expect(document.connections.Calculator?.ai_tool?.[0]?.[0]?.node).toBe("Agent");
    expect(document.nodes[1]?.position[1]).toBeGreaterThan(64);
  });

  test("a model, a memory and tools stand in one row below their agent, in the order of its ports", () => {
    const calculator = types.find("n8n-nodes-base.calculator") as TypeSpec;
    const end = { node: "Agent", side: "input" as const, kind: "ai_tool", index: 0 };
    let document: WorkflowDocument = { ...emptyDocument(), nodes: [node("Agent", "agent")] };
    for (let at = 0; at < 3; at++)
      document = insertNode(document, types, calculator, { from: end }).document;
    const [agent, ...tools] = document.nodes;
    expect(new Set(tools.map((tool) => tool.position[1])).size).toBe(1);
    const lefts = tools.map((tool) => tool.position[0]);
    expect(lefts).toEqual([...lefts].sort((one, other) => one - other));
    expect((lefts[1] ?? 0) - (lefts[0] ?? 0)).toBeGreaterThanOrEqual(128);
    expect(Math.abs((lefts[0] ?? 0) + 40 - ((agent?.position[0] ?? 0) + 128))).toBeLessThan(16);
  });

  test("without a place it stands where the eye is, and covers nothing there", () => {
    const near = { x: 448, y: 48 };
    const { document } = insertNode(start, types, set, { near });
    const [x, y] = document.nodes[2]?.position ?? [];
    expect(x).toBe(400);
    expect(y).toBeGreaterThan(96);
    expect(
      insertNode(start, types, set, { near: { x: 48, y: 2048 } }).document.nodes[2]?.position,
    ).toEqual([0, 2000]);
  });

  test("every new node is on the grid", () => {
    const { document } = insertNode(start, types, set, { at: { x: 333, y: 77 } });
    expect(document.nodes[2]?.position.map((value) => value % 16 === 0)).toEqual([true, true]);
  });

  test("a webhook gets an address of its own", () => {
    const { document } = insertNode(
      emptyDocument(),
      types,
      types.find("n8n-nodes-base.webhook") as TypeSpec,
      {},
    );
    expect(document.nodes[0]?.parameters.path).toBe(document.nodes[0]?.webhookId);
  });

  test("no new node covers another", () => {
    let document = start;
    for (let at = 0; at < 5; at++) document = insertNode(document, types, set, { from }).document;
    expect(new Set(document.nodes.map((one) => one.position.join())).size).toBe(
      document.nodes.length,
    );
  });
});
