import { expect, test } from "vitest";
import { emptyDocument, type WorkflowDocument } from "../api/workflowDocument";
import { connect, moveNodes, pinNode, setParameter } from "../graph/document";
import {
  backgroundBounds,
  type CanvasNode,
  createStableList,
  FlowModel,
  withPosition,
  withPositionStyles,
} from "./flowModel";

const types = { find: () => undefined };
const node = (name: string, type = "x.y") => ({
  id: name,
  name,
  type,
  typeVersion: 1,
  position: [0, 0] as const,
  parameters: {},
});

function pair(): WorkflowDocument {
  const document = { ...emptyDocument(), nodes: [node("A"), node("B"), node("C")] };
  return connect(document, { kind: "main", from: "A", output: 0, to: "B", input: 0 });
}

test("a node that did not change is drawn by the same object", () => {
  const model = new FlowModel();
  const document = pair();
  const before = model.build(document, types);
  const after = model.build(setParameter(document, "B", "x", 1), types);
  expect(after.nodes[1]).not.toBe(before.nodes[1]);
  expect(after.nodes[0]).toBe(before.nodes[0]);
  expect(after.nodes[2]).toBe(before.nodes[2]);
  expect(after.edges[0]).toBe(before.edges[0]);
});

test("a connection or a pin draws the nodes it touches again, and no other", () => {
  const model = new FlowModel();
  const document = pair();
  const first = model.build(document, types);
  const joined = model.build(
    connect(document, { kind: "main", from: "B", output: 0, to: "C", input: 0 }),
    types,
  );
  expect(joined.nodes[0]).toBe(first.nodes[0]);
  expect(joined.nodes[1]).not.toBe(first.nodes[1]);
  const pinned = model.build(pinNode(document, "C", [{ json: {} }]), types);
  expect(pinned.nodes[0]).toBe(first.nodes[0]);
  expect(pinned.nodes[2]?.data).toMatchObject({ pinned: 1 });
});

test("a connection that leads nowhere is not drawn", () => {
  const document = connect(pair(), { kind: "main", from: "A", output: 0, to: "Nobody", input: 0 });
  expect(new FlowModel().build(document, types).edges).toHaveLength(1);
});

test("a note is a note and has no ports", () => {
  const document = { ...emptyDocument(), nodes: [node("Note", "n8n-nodes-base.stickyNote")] };
  const { nodes, ports } = new FlowModel().build(document, types);
  expect(nodes[0]?.type).toBe("note");
  expect(ports.size).toBe(0);
});

test("a node stands where its position says, also after it was moved", () => {
  const model = new FlowModel();
  const [drawn] = model.build(moveNodes(pair(), new Map([["A", [100, 50]]])), types).nodes;
  expect(drawn?.style).toMatchObject({ left: 100, top: 50, transform: "none" });
  const moved = drawn && { ...drawn, position: { x: 7, y: 8 } };
  expect(moved && withPositionStyles([moved])[0]?.style).toMatchObject({ left: 7, top: 8 });
  const kept = drawn ? [withPosition(drawn, { x: 1, y: 2 })] : [];
  expect(withPositionStyles(kept)).toBe(kept);
});

test("a list is the one from before as long as all in it is the same", () => {
  const [one, other] = [{}, {}];
  const keep = createStableList<object>();
  const first = keep([one, other]);
  expect(keep([one, other])).toBe(first);
  expect(keep([other, one])).toEqual([other, one]);
  expect(keep([one])).toEqual([one]);
});

test("the ground lies under every node but the one that is dragged, and under the origin", () => {
  const at = (x: number, dragging = false) =>
    ({ position: { x, y: 0 }, width: 100, height: 50, dragging }) as CanvasNode;
  const { x, width } = backgroundBounds([at(1000), at(9000, true)]);
  expect(x).toBeLessThanOrEqual(0);
  expect(x + width).toBeGreaterThanOrEqual(1100);
  expect(x + width).toBeLessThan(9000);
});
