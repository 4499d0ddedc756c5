import { expect, test } from "vitest";
import type { Problem } from "../api/types";
import { emptyDocument } from "../api/workflowDocument";
import { connect } from "../graph/edges";
import { node } from "../graph/testSpecs";
import { findStoppingProblem } from "./stoppingProblem";

const problem = (name: string, stopsNode = true): [string, Problem[]] => [
  name,
  [{ severity: "warning", code: "X", message: name, place: "", node: name, stopsNode }],
];
const document = connect(
  { ...emptyDocument(), nodes: [node("Agent", "agent"), node("Model", "lm"), node("Set", "set")] },
  { kind: "ai_languageModel", from: "Model", output: 0, to: "Agent", input: 0 },
);

test("a step cannot run if it or a sub-node of it is stopped", () => {
  const problems = new Map([problem("Model")]);
  expect(findStoppingProblem(document, problems, "Agent")?.node).toBe("Model");
  expect(findStoppingProblem(document, problems, "Model")?.node).toBe("Model");
  expect(findStoppingProblem(document, problems, "Set")).toBeNull();
});

test("a mere warning, pinned data and a node that is off stop nothing", () => {
  expect(findStoppingProblem(document, new Map([problem("Set", false)]), "Set")).toBeNull();
  const pinned = { ...document, pinData: { Set: [] } };
  expect(findStoppingProblem(pinned, new Map([problem("Set")]), "Set")).toBeNull();
  const off = { ...document, nodes: document.nodes.map((one) => ({ ...one, disabled: true })) };
  expect(findStoppingProblem(off, new Map([problem("Set")]), "Set")).toBeNull();
});
