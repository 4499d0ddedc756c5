import { expect, test } from "vitest";
import { emptyDocument, type WorkflowDocument } from "../api/workflowDocument";
import { connect } from "./edges";
import { findNeighbour } from "./keyboardNav";
import { portsOf } from "./ports";

const node = (name: string, x: number, y: number) => ({
  name,
  type: "x.y",
  typeVersion: 1,
  position: [x, y] as const,
  parameters: {},
});
const base: WorkflowDocument = {
  ...emptyDocument(),
  nodes: [node("A", 0, 0), node("B", 300, 200), node("C", 300, 0), node("Model", 310, 400)],
};
const document = connect(connect(base, { kind: "main", from: "A", output: 0, to: "B", input: 0 }), {
  kind: "ai_languageModel",
  from: "Model",
  output: 0,
  to: "B",
  input: 0,
});
const edges = [
  { kind: "main", from: "A", output: 0, to: "B", input: 0 },
  { kind: "ai_languageModel", from: "Model", output: 0, to: "B", input: 0 },
];
const ports = new Map(
  document.nodes.map((one) => [
    one.name,
    portsOf(
      one,
      { find: () => undefined },
      edges.filter((edge) => edge.from === one.name || edge.to === one.name),
    ),
  ]),
);
const go = (from: string | null, direction: "left" | "right" | "up" | "down") =>
  findNeighbour(document, from, direction, ports);

test("a connection is followed before what lies nearer", () => {
  expect(go("A", "right")).toBe("B");
  expect(go("B", "left")).toBe("A");
});

test("sub-nodes lie below the node they serve", () => {
  expect(go("B", "down")).toBe("Model");
  expect(go("Model", "up")).toBe("B");
});

test("without a connection the nearest in that direction is next", () => {
  expect(go("B", "up")).toBe("C");
  expect(go("C", "left")).toBe("A");
});

test("without a start one begins at the upper left", () => {
  expect(go(null, "right")).toBe("A");
  expect(go("Gone", "down")).toBe("A");
});

test("at the end one stays", () => {
  expect(go("A", "left")).toBeNull();
});
