import { expect, test } from "vitest";
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
  expect(canModelDecide(testParam("a", "flag"))).toBe(true);
  expect(canModelDecide(testParam("a", { type: "filter" }))).toBe(false);
});
