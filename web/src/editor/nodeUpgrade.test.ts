import { expect, test } from "vitest";
import { Catalogue } from "../api/catalogue";
import type { NodeType, Param } from "../api/spec";
import type { WorkflowNode } from "../api/workflowDocument";
import { describeUpgrade, findUpgrade } from "./nodeUpgrade";

const param = (name: string, fallback: unknown, show: Param["show"] = []): Param => ({
  name,
  label: name.toUpperCase(),
  kind: { type: "text" },
  default: fallback,
  help: "",
  required: false,
  show,
  hide: [],
  noExpression: false,
});
const type = (versions: number[], params: Param[]): NodeType => ({
  id: "x.y",
  versions,
  name: "Y",
  summary: "",
  group: "data",
  icon: "braces",
  subtitle: [],
  trigger: null,
  resumedBy: [],
  initial: [],
  inputs: [],
  outputs: [],
  params,
  credentials: [],
  builderHint: "",
  examples: [],
  aliases: [],
  differs: [],
  notes: [],
  inputRules: [],
  outputRules: [],
});
const node = (typeVersion: number, parameters: Record<string, unknown> = {}): WorkflowNode => ({
  name: "Y",
  type: "x.y",
  typeVersion,
  position: [0, 0],
  parameters,
});
const since2 = [{ param: "@version", anyOf: [{ atLeast: 2 }] }];
const types = new Catalogue([
  type(
    [1, 2],
    [
      param("kept", "a"),
      param("added", "", since2),
      param("gone", "", [{ param: "@version", anyOf: [{ atMost: 1 }] }]),
    ],
  ),
  type([3], [param("kept", "b"), param("added", "")]),
]);

test("a node of the newest version has nothing to update to", () => {
  expect(findUpgrade(node(3), types)).toBeNull();
  expect(findUpgrade({ ...node(1), type: "not.known" }, types)).toBeNull();
});

test("an update says which settings appear, go and change", () => {
  expect(findUpgrade(node(1), types)).toEqual({
    from: 1,
    to: 3,
    isComparable: true,
    added: ["ADDED"],
    removed: ["GONE"],
    changed: ["KEPT"],
  });
});

test("a setting that was set by hand stays what it is", () => {
  expect(findUpgrade(node(2, { kept: "mine" }), types)).toMatchObject({
    added: [],
    removed: [],
    changed: [],
  });
});

test("a version that is not known is said to be so", () => {
  const upgrade = findUpgrade(node(0.5), types);
  expect(upgrade && describeUpgrade(upgrade)).toContain("Version 0.5 is unknown");
});
