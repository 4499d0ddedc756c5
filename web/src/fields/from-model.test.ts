import { expect, test } from "vitest";
import { canBeDecided, decidedByModel } from "./from-model";
import { param } from "./testing";

test("the model is asked by a name it can read, with what the parameter is for", () => {
  const url = param("url", "text", { label: "Web address (URL)", help: "Where it's sent." });
  expect(decidedByModel(url)).toBe("={{ $fromAI('Web_address_URL', 'Where its sent.', 'string') }}");
  expect(decidedByModel(param("n", "number", { label: "Count" }))).toContain("'number'");
});

test("only plain values can be decided", () => {
  expect(canBeDecided(param("a", "flag"))).toBe(true);
  expect(canBeDecided(param("a", { type: "filter" }))).toBe(false);
});
