import { expect, test } from "vitest";
import { emptyDocument, type WorkflowDocument, type WorkflowNode } from "../api/workflowDocument";
import { moveNodes } from "./document";
import { toCanvas } from "./geometry";
import { arrangeNodes } from "./layout";

const types = { find: () => undefined };
const at = (name: string, x = 0, y = 0, type = "x.y"): WorkflowNode => ({
  name,
  type,
  typeVersion: 1,
  position: [x, y],
  parameters: {},
});
const to = (...names: string[]) => ({
  main: [names.map((node) => ({ node, type: "main", index: 0 }))],
});

function arrange(document: WorkflowDocument) {
  return moveNodes(document, arrangeNodes(document, types));
}

test("items flow from left to right and nothing overlaps", () => {
  const document = {
    ...emptyDocument(),
    nodes: [at("A"), at("B"), at("C"), at("D")],
    connections: { A: to("B", "C"), B: to("D"), C: to("D") },
  };
  const places = new Map(
    arrange(document).nodes.map((node) => [node.name, toCanvas(node.position)]),
  );
  const x = (name: string) => places.get(name)?.x ?? 0;
  expect(x("A")).toBeLessThan(x("B"));
  expect(x("B")).toBeLessThan(x("D"));
  expect(Math.abs((places.get("B")?.y ?? 0) - (places.get("C")?.y ?? 0))).toBeGreaterThan(64);
});

test("the branches of a node stand in the order of its outputs", () => {
  const branch = (name: string) => [{ node: name, type: "main", index: 0 }];
  const document = {
    ...emptyDocument(),
    // The branch of “false” is the longer one and stands first in the document, which draws it to the top.
    nodes: ["No", "No 2", "No 3", "Yes", "If", "Start", "Yes 2", "Third"].map((name) => at(name)),
    connections: {
      Start: to("If"),
      If: { main: [branch("Yes"), branch("No"), branch("Third")] },
      No: to("No 2"),
      "No 2": to("No 3"),
      Yes: to("Yes 2"),
    },
  };
  const y = new Map(arrange(document).nodes.map((node) => [node.name, node.position[1]]));
  expect(y.get("Yes")).toBeLessThan(y.get("No") ?? 0);
  expect(y.get("No")).toBeLessThan(y.get("Third") ?? 0);
  expect(y.get("Yes 2")).toBeLessThan(y.get("No 2") ?? 0);
});

test("a loop does not turn the order round", () => {
  const document = {
    ...emptyDocument(),
    nodes: [at("A"), at("B"), at("C")],
    connections: { A: to("B"), B: to("C"), C: to("B") },
  };
  const [a, b] = arrange(document).nodes;
  expect(a?.position[0]).toBeLessThan(b?.position[0] ?? 0);
});

test("sub-nodes hang below the node they serve", () => {
  const tool = (node: string) => ({ ai_tool: [[{ node, type: "ai_tool", index: 0 }]] });
  const document = {
    ...emptyDocument(),
    nodes: [at("In"), at("Agent"), at("T1"), at("T2")],
    connections: { In: to("Agent"), T1: tool("Agent"), T2: tool("Agent") },
  };
  const [, agent, one, two] = arrange(document).nodes;
  expect(one?.position[1]).toBeGreaterThan((agent?.position[1] ?? 0) + 64);
  expect(one?.position[1]).toBe(two?.position[1]);
  expect(one?.position[0]).not.toBe(two?.position[0]);
});

test("a note goes along with the nodes on it", () => {
  const note = {
    ...at("Note", 480, -20, "n8n-nodes-base.stickyNote"),
    parameters: { width: 200, height: 200 },
  };
  const document = {
    ...emptyDocument(),
    nodes: [at("A", 0, 0), at("B", 500, 0), note],
    connections: { A: to("B") },
  };
  const after = arrange(document);
  expect(after.nodes[2]?.position[0]).toBe(480 + (after.nodes[1]?.position[0] ?? 0) - 500);
});

test("hundreds of nodes all get a place of their own", () => {
  const nodes = Array.from({ length: 300 }, (_, index) => at(`N${index}`));
  const connections = Object.fromEntries(
    nodes.slice(1).map((node, index) => [`N${Math.floor(index / 2)}`, to(node.name)]),
  );
  const places = arrangeNodes({ ...emptyDocument(), nodes, connections }, types);
  expect(new Set([...places.values()].map(String)).size).toBe(300);
}, 60_000);
