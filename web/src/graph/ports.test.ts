import { describe, expect, test } from "vitest";
import {
  type Edge,
  emptyDocument,
  type WorkflowDocument,
  type WorkflowNode,
} from "../api/workflowDocument";
import { connectionProblem, type edgeBetween, replacedEdges } from "./connectionRules";
import { portsOf } from "./ports";
import type { TypeSpec } from "./typeSpec";

const main = { kind: "main" };
const spec = (id: string, rest: Partial<TypeSpec> = {}): TypeSpec => ({
  id,
  versions: [1],
  name: id,
  summary: "",
  group: "data",
  inputs: [main],
  outputs: [main],
  params: [],
  ...rest,
});

const mode = (...values: string[]) => [
  { param: "mode", anyOf: values.map((value) => ({ is: value })) },
];

const SPECS = [
  spec("set"),
  spec("switch", {
    outputRules: [
      { when: ["mode", "expression"], ports: { number: { param: "count", label: "" } } },
      {
        ports: { entries: { list: "rules.values", label: "key" } },
        extra: ["rest", "extra", "Fallback"],
      },
    ],
  }),
  spec("agent", {
    group: "ai",
    inputs: [
      main,
      { kind: "ai_languageModel", label: "Model", required: true, maxConnections: 1 },
      { kind: "ai_tool", label: "Tools" },
    ],
  }),
  spec("model", { group: "ai", inputs: [], outputs: [{ kind: "ai_languageModel" }] }),
  spec("selector", {
    inputs: [{ kind: "ai_languageModel" }],
    outputs: [{ kind: "ai_languageModel" }],
    inputRules: [{ ports: { number: { param: "n", label: "Model " } } }],
  }),
  spec("store", {
    inputs: [
      { ...main, show: mode("insert", "load") },
      { kind: "ai_embedding" },
      { kind: "ai_document", show: mode("insert") },
    ],
    outputs: [
      { ...main, show: mode("insert", "load") },
      { kind: "ai_vectorStore", show: mode("retrieve") },
      { kind: "ai_tool", show: mode("retrieve-as-tool") },
    ],
    params: [
      {
        name: "mode",
        label: "Mode",
        kind: { type: "choice", options: [] },
        default: "retrieve",
        help: "",
        required: false,
        show: [],
        hide: [],
        noExpression: true,
      },
    ],
  }),
];
const types = {
  find: (type: string, version?: number) =>
    SPECS.find((one) => one.id === type && (version ?? 1) === 1),
};

function node(name: string, type: string, rest: Partial<WorkflowNode> = {}): WorkflowNode {
  return { name, type, typeVersion: 1, position: [0, 0], parameters: {}, ...rest };
}

function ports(
  type: string,
  parameters = {},
  rest: Partial<WorkflowNode> = {},
  edges: Edge[] = [],
) {
  const found = portsOf(node("N", type, { parameters, ...rest }), types, edges);
  const told = (list: typeof found.inputs) =>
    list.map((port) => `${port.kind}:${port.index}${port.label && ` ${port.label}`}`);
  return { ...found, in: told(found.inputs), out: told(found.outputs) };
}

describe("ports", () => {
  test("parameters decide them where a rule says so", () => {
    expect(ports("switch", { mode: "expression", count: 2 }).out).toEqual(["main:0 0", "main:1 1"]);
    const rules = { rules: { values: [{ key: "a" }, {}] }, rest: "extra" };
    expect(ports("switch", rules).out).toEqual(["main:0 a", "main:1 1", "main:2 Fallback"]);
    expect(ports("switch").out).toEqual(["main:0"]);
    expect(ports("selector", { n: 2 }).in).toEqual([
      "ai_languageModel:0 Model 1",
      "ai_languageModel:1 Model 2",
    ]);
  });

  test("what a port takes and needs is described", () => {
    const found = ports("agent").inputs;
    expect(found.map((port) => [port.required, port.maxConnections])).toEqual([
      [false, Number.POSITIVE_INFINITY],
      [true, 1],
      [false, Number.POSITIVE_INFINITY],
    ]);
  });

  test("an error output comes after all others", () => {
    expect(ports("set", {}, { onError: "continueErrorOutput" }).out).toEqual([
      "main:0",
      "main:1 error",
    ]);
    expect(ports("model", {}, { onError: "continueErrorOutput" }).out).toEqual([
      "ai_languageModel:0 Model",
    ]);
  });

  test("a port exists while its rules hold, so a node may be a step or a sub-node", () => {
    expect(ports("store")).toMatchObject({
      shape: "circle",
      in: ["ai_embedding:0 Embeddings"],
      out: ["ai_vectorStore:0 Vector store"],
    });
    expect(ports("store", { mode: "insert" })).toMatchObject({ shape: "card", out: ["main:0"] });
    expect(ports("store", { mode: "retrieve-as-tool" }).out).toEqual(["ai_tool:0 Tool"]);
  });

  test("a type that is not known has the ports of its connections", () => {
    const edge = { kind: "ai_tool", from: "N", output: 0, to: "Agent", input: 0 };
    expect(ports("strange", {}, {}, [edge])).toMatchObject({
      shape: "circle",
      known: "no",
      in: [],
      out: ["ai_tool:0 Tool"],
    });
    expect(ports("strange")).toMatchObject({ shape: "card", in: ["main:0"], out: ["main:0"] });
    expect(ports("some.strangeTrigger")).toMatchObject({ shape: "trigger", in: [] });
  });

  test("a version that is not known borrows the description of the newest and says so", () => {
    expect(ports("set", {}, { typeVersion: 9 }).known).toBe("version");
  });

  test("a connection that the description does not know is still seen", () => {
    expect(
      ports("set", {}, {}, [{ kind: "main", from: "N", output: 2, to: "X", input: 0 }]).out,
    ).toHaveLength(3);
  });
});

describe("connect rules", () => {
  const document: WorkflowDocument = {
    ...emptyDocument(),
    nodes: [
      node("Set", "set"),
      node("Agent", "agent"),
      node("Model", "model"),
      node("Other", "model"),
      node("A", "selector"),
      node("B", "selector"),
    ],
    connections: {
      Model: { ai_languageModel: [[{ node: "Agent", type: "ai_languageModel", index: 0 }]] },
      A: { ai_languageModel: [[{ node: "B", type: "ai_languageModel", index: 0 }]] },
    },
  };
  const find = (name: string) => {
    const found = document.nodes.find((one) => one.name === name);
    return found && portsOf(found, types, []);
  };
  const out = (name: string, kind = "main") => ({
    node: name,
    side: "output" as const,
    kind,
    index: 0,
  });
  const into = (name: string, kind = "main") => ({
    node: name,
    side: "input" as const,
    kind,
    index: 0,
  });
  const reason = (
    one: Parameters<typeof edgeBetween>[0],
    other: Parameters<typeof edgeBetween>[1],
  ) => connectionProblem(document, find, one, other);

  test("what fits is allowed from either end", () => {
    expect(reason(out("Set"), into("Agent"))).toBeNull();
    expect(reason(into("Agent"), out("Set"))).toBeNull();
    expect(reason(out("Set"), into("Set"))).toBeNull();
  });

  test("what does not fit is refused with the reason", () => {
    expect(reason(out("Set"), out("Agent"))).toContain("Both ends are outputs");
    expect(reason(out("Set"), into("Agent", "ai_languageModel"))).toContain(
      "takes a model, not items",
    );
    expect(reason(out("Model", "ai_languageModel"), into("Set"))).toContain("provides a model");
    expect(reason(out("Model", "ai_languageModel"), into("Agent", "ai_tool"))).toContain(
      "takes a tool",
    );
    expect(reason(out("Model", "ai_languageModel"), into("Agent", "ai_languageModel"))).toContain(
      "already",
    );
  });

  test("suppliers in a circle are refused and named", () => {
    expect(reason(out("B", "ai_languageModel"), into("A", "ai_languageModel"))).toContain(
      "B → A → B",
    );
  });

  test("a port for one connection lets the earlier one go", () => {
    const edge = { kind: "ai_languageModel", from: "Other", output: 0, to: "Agent", input: 0 };
    expect(replacedEdges(document, find, edge)).toEqual([{ ...edge, from: "Model" }]);
    expect(
      replacedEdges(document, find, {
        kind: "main",
        from: "Set",
        output: 0,
        to: "Agent",
        input: 0,
      }),
    ).toEqual([]);
  });
});
