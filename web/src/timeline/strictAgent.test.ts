import { expect, it } from "vitest";
import type { ConnectedToolNode } from "../api/generated";
import { listFaults, listTools, unknownToolNames } from "./strictAgent";

function brings(node: string, name: string, parameters: unknown): ConnectedToolNode {
  return { node, tools: [{ name, description: "", parameters }] };
}

const SUM = { type: "object", properties: { a: {}, b: {} } };

it("shows each tool under the name and with the arguments that the server tells", () => {
  const tools = listTools([brings("Sum", "add", SUM), brings("Odd", "odd", {})], "");
  expect(tools.map((tool) => [tool.node, tool.name, tool.arguments, tool.hasSchema])).toEqual([
    ["Sum", "add", ["a", "b"], true],
    ["Odd", "odd", [], false],
  ]);
});

it("knows which tools are allowed, and which allowed ones are not there", () => {
  const tools = listTools(
    [brings("Sum", "add", SUM), brings("Other", "think", SUM)],
    "add, weather",
  );
  expect(tools.map((tool) => tool.isAllowed)).toEqual([true, false]);
  expect(unknownToolNames(tools, "add, weather")).toEqual(["weather"]);
  expect(unknownToolNames(tools, "={{ $json.tools }}")).toEqual([]);
});

it("shows a node whose tools cannot be told with the reason", () => {
  const failed = { node: "Broken", tools: [], error: { message: "no such type" } };
  expect(listTools([failed], "")[0]).toMatchObject({ node: "Broken", problem: "no such type" });
});

it("says once what went wrong, and what to do about it", () => {
  const error = {
    code: "AGENT_REPLY",
    message: "Iteration 2: the reply is no JSON",
    reason: "invalid_json",
  };
  const report = {
    iterations: [],
    memory: [],
    output: null,
    sources: [],
    errors: [{ code: "AGENT_REPLY", message: error.message, iteration: 2 }],
  };
  const faults = listFaults(report, error);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatchObject({ title: "Invalid JSON", iteration: 2 });
  expect(faults[0]?.hint).not.toBe("");
  expect(listFaults(undefined, undefined)).toEqual([]);
});
