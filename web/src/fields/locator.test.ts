import { expect, test } from "vitest";
import { listSource, readLocator, withMode, writeLocator } from "./locator";

test("a locator is read from its shape and from the bare id of older workflows", () => {
  expect(readLocator({ __rl: true, mode: "id", value: "7" }, ["list", "id"])).toEqual({
    mode: "id",
    value: "7",
  });
  expect(readLocator("7", ["list", "id"])).toEqual({ mode: "id", value: "7" });
  expect(readLocator({}, ["list", "id"])).toEqual({ mode: "list", value: "" });
});

test("what was chosen from the list survives a change of mode as its id", () => {
  const chosen = { mode: "list", value: "7", cachedResultName: "Mine" };
  expect(writeLocator(withMode(chosen, "id"))).toEqual({ __rl: true, mode: "id", value: "7" });
});

test("lists are offered where the server has them", () => {
  expect(listSource("n8n-nodes-base.executeWorkflow", "workflowId")).toBe("workflows");
  expect(listSource("n8n-nodes-base.postgres", "table")).toBeUndefined();
});
