import { expect, test } from "vitest";
import { emptyDocument, type WorkflowDocument, type WorkflowNode } from "../api/workflowDocument";
import { filterByQuery, listConnectOptions } from "./connectable";
import { connect } from "./edges";
import type { Port, Ports } from "./ports";

const port = (kind: string, index = 0, label = ""): Port => ({
  kind,
  index,
  label,
  required: false,
  maxConnections: kind === "main" ? Number.POSITIVE_INFINITY : 1,
  isError: false,
});
const step = (...labels: string[]): Ports => ({
  inputs: [port("main")],
  outputs: (labels.length > 0 ? labels : [""]).map((label, index) => port("main", index, label)),
  shape: "card",
  isWide: false,
  known: "yes",
});
const PORTS: Record<string, Ports> = {
  Start: { ...step(), inputs: [], shape: "trigger" },
  If: step("true", "false"),
  Set: step(),
  Model: {
    inputs: [],
    outputs: [port("ai_languageModel")],
    shape: "circle",
    isWide: false,
    known: "yes",
  },
  Agent: { ...step(), inputs: [port("main"), port("ai_languageModel", 0, "Model")] },
};
const portsOf = (name: string) => PORTS[name];
const node = (name: string, x: number): WorkflowNode => ({
  name,
  type: "x.y",
  typeVersion: 1,
  position: [x, 0],
  parameters: {},
});
const document: WorkflowDocument = connect(
  { ...emptyDocument(), nodes: Object.keys(PORTS).map((name, index) => node(name, index * 200)) },
  { kind: "main", from: "Start", output: 0, to: "If", input: 0 },
);

test("a node can be joined after each of its outputs, and before what it could feed", () => {
  const { possible } = listConnectOptions(document, portsOf, "If");
  const withSet = possible.filter((join) => join.node === "Set").map((join) => join.text);
  expect(withSet).toEqual([
    "runs after this node, from “true”",
    "runs after this node, from “false”",
    "runs before this node",
  ]);
});

test("what is connected already is listed apart, to be taken away", () => {
  const { present, possible } = listConnectOptions(document, portsOf, "If");
  expect(present.map(({ node, edge }) => [node, edge.from, edge.to])).toEqual([
    ["Start", "Start", "If"],
  ]);
  expect(possible.some((join) => join.node === "Start")).toBe(false);
});

test("what cannot be joined has its reason", () => {
  const { refused } = listConnectOptions(document, portsOf, "Model");
  expect(refused.map(({ node }) => node)).toEqual(["Set", "If", "Start"]);
  expect(refused[0]?.reason).toContain("cannot pass items");
  expect(
    listConnectOptions(document, portsOf, "Model").possible.map(({ node, text }) => [node, text]),
  ).toEqual([["Agent", "uses this node as model"]]);
});

test("typing finds a node by its name", () => {
  const { possible } = listConnectOptions(document, portsOf, "If");
  expect(filterByQuery(possible, "age").every((join) => join.node === "Agent")).toBe(true);
  expect(filterByQuery(possible, "")).toHaveLength(possible.length);
});
