import { expect, test } from "vitest";
import { canSplitErrors, needsRepeatChoice, onErrorOf } from "./nodeSettings";

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

test("only nodes that may change something ask whether they are safe to repeat", () => {
  expect(needsRepeatChoice({ group: "integration", repeatable: false })).toBe(true);
  expect(needsRepeatChoice({ group: "data", repeatable: true })).toBe(false);
  expect(needsRepeatChoice({ group: "trigger", repeatable: false })).toBe(false);
  expect(needsRepeatChoice(undefined)).toBe(true);
});
