import { expect, test } from "vitest";
import { canSplitErrors, onErrorOf } from "./nodeSettings";

const node = { name: "A", type: "t", typeVersion: 1, position: [0, 0] as const, parameters: {} };

test("what older workflows say about errors is understood", () => {
  expect(onErrorOf(node)).toBe("stopWorkflow");
  expect(onErrorOf({ ...node, continueOnFail: true })).toBe("continueRegularOutput");
  expect(onErrorOf({ ...node, continueOnFail: true, onError: "continueErrorOutput" })).toBe(
    "continueErrorOutput",
  );
});

test("only nodes that put out items have an output for errors", () => {
  expect(canSplitErrors([{ kind: "main" }])).toBe(true);
  expect(canSplitErrors([{ kind: "ai_tool" }])).toBe(false);
});
