import { expect, test } from "vitest";
import type { WorkflowDocument } from "../api/workflowDocument";
import { getNodeContext } from "./nodeContext";

function workflow(
  ...ways: [from: string, kind: string, to: string, input?: number][]
): WorkflowDocument {
  const names = [...new Set(ways.flatMap(([from, , to]) => [from, to]))];
  const connections: Record<
    string,
    Record<string, { node: string; type: string; index: number }[][]>
  > = {};
  for (const [from, kind, to, input = 0] of ways) {
    const kinds = connections[from] ?? {};
    connections[from] = {
      ...kinds,
      [kind]: [[...(kinds[kind]?.[0] ?? []), { node: to, type: kind, index: input }]],
    };
  }
  const nodes = names.map((name) => ({
    name,
    type: "test",
    typeVersion: 1,
    position: [0, 0] as const,
    parameters: {},
  }));
  return { name: "Test", nodes, connections };
}

const document = workflow(
  ["Start", "main", "Fetch"],
  ["Fetch", "main", "Agent"],
  ["Agent", "main", "Send"],
  ["Model", "ai_languageModel", "Agent"],
  ["Store", "ai_vectorStore", "Tool"],
  ["Tool", "ai_tool", "Agent"],
);

test("a node sees what came before it, nearest first", () => {
  const { direct, before, previous, next } = getNodeContext(document, "Agent");
  expect(direct?.from).toBe("Fetch");
  expect(before).toEqual(["Fetch", "Start"]);
  expect([previous, next]).toEqual([["Fetch"], ["Send"]]);
});

test("a tool sees the items of the agent it serves, however deep it hangs", () => {
  expect(getNodeContext(document, "Store")).toMatchObject({
    before: ["Fetch", "Start"],
    next: ["Tool"],
  });
  expect(getNodeContext(document, "Store").direct?.from).toBe("Fetch");
});

test("testing a tool runs the agent it serves", () => {
  expect([
    getNodeContext(document, "Store").root,
    getNodeContext(document, "Agent").root,
    getNodeContext(document, "Start").root,
  ]).toEqual(["Agent", "Agent", "Start"]);
});

test("a trigger has nothing before it", () => {
  expect(getNodeContext(document, "Start")).toMatchObject({
    direct: null,
    before: [],
    previous: [],
    next: ["Fetch"],
  });
});

test("a node with several inputs looks at the first of them", () => {
  const merge = workflow(["B", "main", "Merge", 1], ["A", "main", "Merge", 0]);
  expect(getNodeContext(merge, "Merge").parents.map((edge) => edge.from)).toEqual(["A", "B"]);
});

test("a loop does not lead round for ever", () => {
  const loop = workflow(["Loop", "main", "Work"], ["Work", "main", "Loop"]);
  expect(getNodeContext(loop, "Loop").before).toEqual(["Work"]);
});
