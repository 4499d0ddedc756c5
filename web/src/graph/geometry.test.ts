import { describe, expect, test } from "vitest";
import type { WorkflowNode } from "../api/workflowDocument";
import {
  handleId,
  nodeBody,
  nodeSize,
  noteSize,
  occupiedBox,
  parseHandleId,
  portPosition,
  snap,
  toCanvas,
  toDocument,
} from "./geometry";
import type { Port, Ports } from "./ports";

const port = (kind: string, index = 0, required = false): Port => ({
  kind,
  index,
  label: "",
  required,
  maxConnections: 1,
  isError: false,
});
const ports = (inputs: Port[], outputs: Port[], shape: Ports["shape"] = "card"): Ports => ({
  inputs,
  outputs,
  shape,
  isWide: inputs.some((one) => one.required),
  known: "yes",
});
const mains = (count: number) => Array.from({ length: count }, (_, index) => port("main", index));
const step = ports(mains(1), mains(1));
const agent = ports(
  [port("main"), port("ai_languageModel", 0, true), port("ai_memory"), port("ai_tool")],
  mains(1),
);
const model = ports([], [port("ai_languageModel")], "circle");
const retriever = ports([port("ai_vectorStore", 0, true)], [port("ai_retriever")], "circle");

describe("positions", () => {
  test("are those of the document, and come back as they were", () => {
    expect(toCanvas([220, -35])).toEqual({ x: 220, y: -35 });
    for (let x = -500; x < 500; x += 7) expect(toDocument(toCanvas([x, x]))).toEqual([x, x]);
  });

  test("that are none are the origin", () => {
    expect(toCanvas(undefined)).toEqual({ x: 0, y: 0 });
    expect(toCanvas(["a", null] as unknown as [number, number])).toEqual({ x: 0, y: 0 });
  });

  test("of new and dragged nodes are on the grid of 16", () => {
    expect(snap({ x: 25, y: -7 })).toEqual({ x: 32, y: -0 });
  });
});

describe("sizes", () => {
  test("are those for which workflows are laid out", () => {
    expect(nodeSize(step)).toEqual({ width: 96, height: 96 });
    expect(nodeSize(agent)).toEqual({ width: 256, height: 96 });
    expect(nodeSize(model)).toEqual({ width: 80, height: 80 });
    expect([step, agent, model, retriever].map(nodeBody)).toEqual([
      "square",
      "wide",
      "circle",
      "pill",
    ]);
  });

  test("of a node that may have a sub-node and has none is that of any other", () => {
    expect(nodeSize(ports([port("main"), port("ai_memory")], mains(1))).width).toBe(96);
  });

  test("grow from the third port on a side", () => {
    expect(nodeSize(ports(mains(1), mains(2))).height).toBe(96);
    expect(nodeSize(ports(mains(1), mains(5))).height).toBe(96 + 3 * 32);
  });

  test("of notes are their own", () => {
    const note = { parameters: { width: 500, height: 90 } } as unknown as WorkflowNode;
    expect(noteSize(note)).toEqual({ width: 500, height: 90 });
    expect(noteSize({ parameters: {} } as WorkflowNode)).toEqual({ width: 240, height: 160 });
  });

  test("include the name where it stands below", () => {
    expect(occupiedBox(step).height).toBeGreaterThan(96);
    expect(occupiedBox(step).x).toBeLessThan(0);
    expect(occupiedBox(agent)).toEqual({ x: 0, y: 0, width: 256, height: 96 });
  });
});

describe("ports", () => {
  test("lie on the edges of their node, in the middle of it as a whole", () => {
    const many = ports(mains(1), mains(5));
    const { width, height } = nodeSize(many);
    const places = many.outputs.map((one) => portPosition(many, "output", one));
    expect(places.every(({ x, y }) => x === width && y > 0 && y < height)).toBe(true);
    expect(places[2]?.y).toBe(height / 2);
    expect(portPosition(step, "input", port("main"))).toEqual({ x: 0, y: 48 });
  });

  test("below an agent: what it needs at the left, what it may have at the right", () => {
    const [model = NaN, memory = NaN, tool = NaN] = agent.inputs
      .slice(1)
      .map((one) => portPosition(agent, "input", one).x);
    expect([model, memory, tool]).toEqual([44, 128, 212]);
    const four = ports([...agent.inputs, port("ai_outputParser")], mains(1));
    expect(portPosition(four, "input", port("ai_outputParser")).x).toBe(218);
    const two = ports([port("ai_languageModel", 0, true), port("ai_outputParser")], mains(1));
    expect(portPosition(two, "input", port("ai_outputParser")).x).toBe(212);
  });

  test("of a sub-node lead up from its middle", () => {
    expect(portPosition(model, "output", port("ai_languageModel"))).toEqual({ x: 40, y: 0 });
    expect(portPosition(retriever, "output", port("ai_retriever"))).toEqual({ x: 128, y: 0 });
  });

  test("are found again by the name of their handle", () => {
    expect(parseHandleId(handleId("input", { kind: "ai_tool", index: 3 }))).toEqual({
      side: "input",
      kind: "ai_tool",
      index: 3,
    });
    expect(parseHandleId(null)).toBeNull();
  });
});
