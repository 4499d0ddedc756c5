import { expect, test } from "vitest";
import { createRun } from "../run/runView";
import { feedingRun, fullestOutput, outputChoices } from "./nodeRuns";

const ports = [
  { kind: "main", index: 0, label: "true" },
  { kind: "main", index: 1, label: "false" },
];

test("outputs are named after their ports, with those that gave nothing", () => {
  const run = { ...createRun(0, 0), outputs: [{ kind: "main", index: 1, items: 3 }] };
  const choices = outputChoices(run, ports);
  expect(choices.map((choice) => [choice.label, choice.items])).toEqual([
    ["true", 0],
    ["false", 3],
  ]);
  expect(fullestOutput(choices)).toBe(1);
});

test("an output that no port names is still there", () => {
  const run = { ...createRun(0, 0), outputs: [{ kind: "main", index: 4, items: 1 }] };
  expect(outputChoices(run, []).map((choice) => choice.label)).toEqual(["Output 5"]);
});

test("a run of a loop looks at the run that fed it", () => {
  const run = { ...createRun(2, 0), source: [{ node: "Loop", output: 0, run: 2 }] };
  const before = [createRun(0, 0), createRun(1, 0), createRun(2, 0), createRun(3, 0)];
  expect(feedingRun(run, "Loop", before)).toBe(2);
  expect(feedingRun(undefined, "Loop", before)).toBe(3);
});
