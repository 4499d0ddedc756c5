import { expect, test } from "vitest";
import type { NodeType } from "../api/spec";
import { testParam } from "../graph/testParam";
import { canModelDecide, fromAiExpression } from "./fromAi";

test("the model is asked by a name it can read, with what the parameter is for", () => {
  const url = testParam("url", "text", { label: "Web address (URL)", help: "Where it's sent." });
  expect(fromAiExpression(url)).toBe(
    "={{ $fromAI('Web_address_URL', 'Where its sent.', 'string') }}",
  );
  expect(fromAiExpression(testParam("n", "number", { label: "Count" }))).toContain("'number'");
});

test("only plain values can be decided", () => {
  const type = { toolParams: [] as string[] } as NodeType;
  expect(canModelDecide(type, ["a"], testParam("a", "flag"))).toBe(true);
  expect(canModelDecide(type, ["a"], testParam("a", { type: "filter" }))).toBe(false);
  expect(canModelDecide(undefined, ["a"], testParam("a", "flag"))).toBe(false);
});
