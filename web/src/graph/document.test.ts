import { describe, expect, test } from "vitest";
import type { WorkflowDocument } from "../api/workflowDocument";
import * as graph from "./document";

function node(name: string, parameters: Record<string, unknown> = {}) {
  return {
    id: `id-${name}`,
    name,
    type: "n8n-nodes-base.set",
    typeVersion: 3.4,
    position: [0, 0] as const,
    parameters,
  };
}

function chain(...names: string[]): WorkflowDocument {
  let document: WorkflowDocument = {
    name: "Test",
    nodes: names.map((name) => node(name)),
    connections: {},
    pinData: {},
  };
  for (let at = 0; at + 1 < names.length; at++) {
    document = graph.connect(document, edge(names[at] ?? "", names[at + 1] ?? ""));
  }
  return document;
}

function edge(from: string, to: string, output = 0, input = 0, kind = "main") {
  return { kind, from, output, to, input };
}

describe("parameters", () => {
  test("a value at a path is set and everything beside it is shared", () => {
    const before = graph.updateNode(chain("A", "B"), "A", (a) => ({
      ...a,
      parameters: { options: { deep: {} }, rules: [{ x: 1 }] },
    }));
    const after = graph.setParameter(before, "A", "rules[0].x", 2);
    expect(after.nodes[0]?.parameters).toEqual({ options: { deep: {} }, rules: [{ x: 2 }] });
    expect(after.nodes[0]?.parameters.options).toBe(before.nodes[0]?.parameters.options);
    expect(after.nodes[1]).toBe(before.nodes[1]);
    expect(after.connections).toBe(before.connections);
  });

  test("objects and lists on the way are made", () => {
    const after = graph.setParameter(chain("A"), "A", ["values", "list", 0, "a.b"], "x");
    expect(after.nodes[0]?.parameters).toEqual({ values: { list: [{ "a.b": "x" }] } });
  });

  test("undefined takes a value out so that the default holds again", () => {
    const before = graph.setParameter(chain("A"), "A", "options.limit", 5);
    expect(
      graph.setParameter(before, "A", "options.limit", undefined).nodes[0]?.parameters,
    ).toEqual({ options: {} });
  });

  test("a change that changes nothing gives the same document back", () => {
    const before = graph.setParameter(chain("A"), "A", "limit", 5);
    expect(graph.setParameter(before, "A", "limit", 5)).toBe(before);
    expect(graph.setNodeField(before, "A", "disabled", undefined)).toBe(before);
    expect(graph.setNodeField(before, "Missing", "disabled", true)).toBe(before);
  });
});

describe("connections", () => {
  test("an output beyond the first leaves empty lists before it", () => {
    const document = graph.connect(chain("A", "B"), edge("A", "B", 2));
    expect(document.connections.A?.main?.map((targets) => targets?.length)).toEqual([1, 0, 1]);
  });

  test("the same connection is not made twice", () => {
    const document = chain("A", "B");
    expect(graph.connect(document, edge("A", "B"))).toBe(document);
  });

  test("removing the last connection leaves nothing behind", () => {
    expect(graph.disconnect(chain("A", "B"), edge("A", "B")).connections).toEqual({});
  });

  test("lists of the wrong form are passed over and not lost", () => {
    const strange = {
      ...chain("A", "B"),
      connections: { A: { main: [null, [{ node: "B", type: "main", index: 1 }]] } },
    };
    expect(graph.edgesOf(strange)).toEqual([edge("A", "B", 1, 1)]);
    expect(graph.connect(strange, edge("A", "B")).connections.A?.main?.[1]).toBe(
      strange.connections.A.main[1],
    );
  });

  test("ancestors and descendants end in a loop", () => {
    const loop = graph.connect(chain("A", "B", "C"), edge("C", "B"));
    expect(graph.ancestors(loop, "C")).toEqual(["B", "A"]);
    expect(graph.descendants(loop, "A")).toEqual(["B", "C"]);
  });
});

describe("nodes", () => {
  test("a removed node takes its connections and its pinned data along", () => {
    const document = graph.pinNode(chain("A", "B", "C"), "B", [{ json: {} }]);
    const after = graph.removeNodes(document, ["B"]);
    expect(after.nodes.map((left) => left.name)).toEqual(["A", "C"]);
    expect(after.connections).toEqual({});
    expect(after.pinData).toEqual({});
  });

  test("a taken name gets the next free number", () => {
    const document = graph.addNode(graph.addNode(chain("Set"), node("Set")), node("Set"));
    expect(document.nodes.map((added) => added.name)).toEqual(["Set", "Set1", "Set2"]);
  });

  test("a new name follows into connections, pins and expressions", () => {
    const document = graph.setParameter(
      graph.pinNode(chain("Old", "B"), "Old", []),
      "B",
      "text",
      "={{ $('Old').item.json.a }} and $('Old')",
    );
    const after = graph.renameInDocument(document, "Old", "It's new");
    expect(Object.keys(after.connections)).toEqual(["It's new"]);
    expect(after.pinData).toEqual({ "It's new": [] });
    expect(after.nodes[1]?.parameters.text).toBe("={{ $('It\\'s new').item.json.a }} and $('Old')");
  });

  test("a name that is taken is refused with a reason", () => {
    const document = chain("A", "B");
    expect(graph.renameInDocument(document, "A", "B")).toBe(document);
    expect(graph.nameProblem(document, "A", " B ")).toContain("already");
    expect(graph.nameProblem(document, "A", " ")).toContain("Enter a name");
    expect(graph.nameProblem(document, "A", "A")).toBeNull();
  });

  test("a duplicate has names, ids and connections of its own", () => {
    const { document, names } = graph.duplicateNodes(chain("A", "B", "C"), ["A", "B"]);
    expect(names).toEqual(["A1", "B1"]);
    expect(graph.edgesOf(document)).toContainEqual(edge("A1", "B1"));
    expect(new Set(document.nodes.map((copy) => copy.id)).size).toBe(5);
  });

  test("the sub-nodes of an agent belong to it however deep they hang", () => {
    let document = chain("Agent", "Next", "Store", "Embed");
    document = graph.disconnectNodes(document, new Set(["Store", "Embed"]));
    document = graph.connect(document, edge("Store", "Agent", 0, 0, "ai_tool"));
    document = graph.connect(document, edge("Embed", "Store", 0, 0, "ai_embedding"));
    expect(graph.withSubNodes(document, ["Agent"])).toEqual(new Set(["Agent", "Store", "Embed"]));
  });
});
