import { expect, test } from "vitest";
import { emptyDocument, type WorkflowDocument } from "../api/workflowDocument";
import { connect } from "./edges";
import {
  copyFragment,
  FragmentError,
  looksLikeFragment,
  parseFragment,
  pasteFragment,
  serializeFragment,
} from "./fragment";

const set = (name: string, parameters = {}) => ({
  name,
  type: "n8n-nodes-base.set",
  typeVersion: 3,
  position: [10, 20] as const,
  parameters,
});

function pair(): WorkflowDocument {
  const document = {
    ...emptyDocument(),
    nodes: [set("A"), set("B", { x: "={{ $('A').item.json.y }}" }), set("C")],
  };
  const joined = connect(document, { kind: "main", from: "A", output: 0, to: "B", input: 0 });
  return connect(joined, { kind: "main", from: "B", output: 0, to: "C", input: 0 });
}

test("what was copied can be read again, with only the inner connections", () => {
  const read = parseFragment(serializeFragment(copyFragment(pair(), ["A", "B"])));
  expect(read.nodes.map((node) => node.name)).toEqual(["A", "B"]);
  expect(read.connections).toEqual({ A: { main: [[{ node: "B", type: "main", index: 0 }]] } });
});

test("pasted nodes get free names and their references follow", () => {
  const { document, names } = pasteFragment(pair(), copyFragment(pair(), ["A", "B"]), [5, 5]);
  expect(names).toEqual(["A1", "B1"]);
  expect(document.nodes[4]?.parameters.x).toBe("={{ $('A1').item.json.y }}");
  expect(document.nodes[3]?.position).toEqual([15, 25]);
});

test("two pasted nodes of one name do not collide", () => {
  const { names } = pasteFragment(
    emptyDocument(),
    { nodes: [set("A"), set("A")], connections: {} },
    [0, 0],
  );
  expect(new Set(names).size).toBe(2);
});

test("a webhook that is pasted listens at an address of its own", () => {
  const { document } = pasteFragment(
    emptyDocument(),
    { nodes: [{ ...set("Hook"), webhookId: "one" }], connections: {} },
    [0, 0],
  );
  expect(document.nodes[0]?.webhookId).not.toBe("one");
});

test("a template with its workflow inside is read", () => {
  expect(
    parseFragment(JSON.stringify({ id: 1, workflow: { nodes: [set("A")], connections: {} } }))
      .nodes,
  ).toHaveLength(1);
});

test("broken fields of a node are made harmless", () => {
  const [node] = parseFragment(
    JSON.stringify({ nodes: [{ type: "x", position: "?", parameters: [] }, 5] }),
  ).nodes;
  expect(node).toMatchObject({ name: "Node", position: [0, 0], parameters: {}, typeVersion: 1 });
});

test("text that is no workflow is refused with what to do", () => {
  expect(() => parseFragment("hello")).toThrow(FragmentError);
  expect(() => parseFragment("{}")).toThrow("no “nodes” list");
  expect(looksLikeFragment("hello")).toBe(false);
  expect(looksLikeFragment('{"nodes":[]}')).toBe(true);
});
