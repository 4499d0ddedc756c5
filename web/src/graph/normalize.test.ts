import { expect, test } from "vitest";
import { emptyDocument, type WorkflowDocument } from "../api/workflowDocument";
import { normalizeDocument } from "./normalize";

const good = {
  id: "1",
  name: "A",
  type: "x.y",
  typeVersion: 1,
  position: [0, 0] as const,
  parameters: {},
  unknown: 5,
};

test("a document in order is the same document", () => {
  const document = { ...emptyDocument(), nodes: [good] };
  expect(normalizeDocument(document)).toBe(document);
});

test("what is missing is made and what is unknown stays", () => {
  const broken = {
    name: "Test",
    nodes: [{ name: "A", type: "x", extra: 1 }, null],
    connections: [],
  } as unknown as WorkflowDocument;
  const { nodes, connections } = normalizeDocument(broken);
  expect(nodes).toHaveLength(1);
  expect(nodes[0]).toMatchObject({
    name: "A",
    typeVersion: 1,
    position: [0, 0],
    parameters: {},
    extra: 1,
  });
  expect(nodes[0]?.id).toBeTruthy();
  expect(connections).toEqual({});
});

test("two nodes of one name can be told apart", () => {
  const document = { ...emptyDocument(), nodes: [good, { ...good, id: "2" }] };
  expect(normalizeDocument(document).nodes.map((node) => node.name)).toEqual(["A", "A1"]);
});
