import { expect, test } from "vitest";
import type { JsonObject, Param } from "./json";
import { testParam } from "./testParam";
import { visibleParams, withDefaults } from "./visibleParams";

const params: Param[] = [
  testParam("mode", { type: "choice", options: [] }, { default: "a" }),
  testParam("count", "number", { default: 3, show: [{ param: "mode", anyOf: [{ is: "a" }] }] }),
  testParam("count", "number", { default: 7, show: [{ param: "mode", anyOf: [{ is: "b" }] }] }),
  testParam("late", "text", {
    default: "x",
    show: [{ param: "@version", anyOf: [{ atLeast: 2 }] }],
  }),
  testParam(
    "fields",
    {
      type: "groups",
      multiple: true,
      groups: [
        {
          name: "values",
          label: "Values",
          params: [
            testParam("kind", "text", { default: "text" }),
            testParam("deep", "text", {
              default: "d",
              show: [{ param: "/mode", anyOf: [{ is: "b" }] }],
            }),
          ],
        },
      ],
    },
    { default: {} },
  ),
];

const fill = (version: number, given: JsonObject) => withDefaults(params, given, { version });

test("the shown form of a parameter gives the default", () => {
  expect(fill(1, {})).toEqual({ mode: "a", count: 3, fields: {} });
  expect(fill(2, { mode: "b" })).toEqual({ mode: "b", count: 7, late: "x", fields: {} });
});

test("repeated groups are filled entry by entry, with rules that look at the top", () => {
  const given: JsonObject = { mode: "b", fields: { values: [{ name: "q" }, { kind: "number" }] } };
  expect(fill(1, given).fields).toEqual({
    values: [
      { name: "q", kind: "text", deep: "d" },
      { kind: "number", deep: "d" },
    ],
  });
  expect(fill(1, { fields: { values: [{}] } }).fields).toEqual({ values: [{ kind: "text" }] });
});

test("an expression hides nothing, and no parameter is shown twice", () => {
  const names = visibleParams(params, fill(1, { mode: "={{ $json.x }}" }), { version: 1 }).map(
    (one) => one.name,
  );
  expect(names).toEqual(["mode", "count", "fields"]);
});

test("a list fits a rule when one of its values does", () => {
  const one = testParam("x", "text", { show: [{ param: "methods", anyOf: [{ is: "POST" }] }] });
  expect(visibleParams([one], { methods: ["GET", "POST"] }, { version: 1 })).toHaveLength(1);
  expect(visibleParams([one], { methods: ["GET"] }, { version: 1 })).toHaveLength(0);
});

test("hidden parameters are never shown, and a hide rule takes one away", () => {
  const hidden = testParam("h", { type: "hidden" });
  const away = testParam("a", "text", { hide: [{ param: "b", anyOf: ["exists"] }] });
  expect(visibleParams([hidden, away], {}, { version: 1 })).toEqual([away]);
  expect(visibleParams([hidden, away], { b: 1 }, { version: 1 })).toEqual([]);
});
