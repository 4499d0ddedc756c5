import { expect, test } from "vitest";
import { complete, shown } from "./shown";
import type { JsonObject, Param } from "./spec";

const params: Param[] = [
  { name: "mode", label: "Mode", kind: { type: "choice", options: [] }, default: "a" },
  { name: "count", label: "Count", kind: { type: "number" }, default: 3, show: [{ param: "mode", anyOf: [{ is: "a" }] }] },
  { name: "count", label: "Count", kind: { type: "number" }, default: 7, show: [{ param: "mode", anyOf: [{ is: "b" }] }] },
  { name: "late", label: "Late", kind: { type: "text" }, default: "x", show: [{ param: "@version", anyOf: [{ atLeast: 2 }] }] },
  {
    name: "fields",
    label: "Fields",
    kind: {
      type: "groups",
      multiple: true,
      groups: [
        {
          name: "values",
          label: "Values",
          params: [
            { name: "kind", label: "Kind", kind: { type: "text" }, default: "text" },
            {
              name: "deep",
              label: "Deep",
              kind: { type: "text" },
              default: "d",
              show: [{ param: "/mode", anyOf: [{ is: "b" }] }],
            },
          ],
        },
      ],
    },
    default: {},
  },
];

const fill = (version: number, given: JsonObject) => complete(params, given, { version });

test("the shown form of a parameter gives the default", () => {
  expect(fill(1, {})).toEqual({ mode: "a", count: 3, fields: {} });
  expect(fill(2, { mode: "b" })).toEqual({ mode: "b", count: 7, late: "x", fields: {} });
});

test("repeated groups are filled entry by entry, with rules that look at the top", () => {
  const given = { mode: "b", fields: { values: [{ name: "q" }, { kind: "number" }] } };
  expect(fill(1, given).fields).toEqual({
    values: [
      { name: "q", kind: "text", deep: "d" },
      { kind: "number", deep: "d" },
    ],
  });
  expect(fill(1, { fields: { values: [{}] } }).fields).toEqual({ values: [{ kind: "text" }] });
});

test("an expression hides nothing, and no parameter is shown twice", () => {
  const names = shown(params, fill(1, { mode: "={{ $json.x }}" }), { version: 1 }).map((param) => param.name);
  expect(names).toEqual(["mode", "count", "fields"]);
});

test("a list fits a rule when one of its values does", () => {
  const param: Param = { name: "x", label: "X", kind: { type: "text" }, show: [{ param: "methods", anyOf: [{ is: "POST" }] }] };
  expect(shown([param], { methods: ["GET", "POST"] }, { version: 1 })).toHaveLength(1);
  expect(shown([param], { methods: ["GET"] }, { version: 1 })).toHaveLength(0);
});

test("hidden parameters are never shown, and a hide rule takes one away", () => {
  const hidden: Param = { name: "h", label: "", kind: { type: "hidden" } };
  const away: Param = { name: "a", label: "A", kind: { type: "text" }, hide: [{ param: "b", anyOf: ["exists"] }] };
  expect(shown([hidden, away], {}, { version: 1 })).toEqual([away]);
  expect(shown([hidden, away], { b: 1 }, { version: 1 })).toEqual([]);
});
