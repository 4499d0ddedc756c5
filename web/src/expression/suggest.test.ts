import { expect, test } from "vitest";
import type { ExpressionScope } from "../store/formContext";
import { chainBefore } from "./memberChain";
import { suggest } from "./suggest";

const known: ExpressionScope = {
  json: { user: { "first name": "Ada", age: 36, tags: [{ name: "x" }] }, when: "2026-03-01" },
  nodes: [{ name: "Get users", json: { id: 7 } }, { name: "It's" }],
  variables: ["region"],
};
const labels = (code: string) =>
  suggest(code, code.length, known)?.list.map((one) => one.label) ?? [];

test("at the beginning every root and every node before is offered", () => {
  expect(labels(" $j")).toContain("$json");
  expect(labels(" ")).toContain("$('Get users')");
});

test("behind a dot the fields of the data come first, then the functions of its type", () => {
  expect(labels("$json.").slice(0, 2)).toEqual(["user", "when"]);
  expect(labels("$json.user.")).toContain("hasField");
  expect(labels("$json.when.")).toContain("toDateTime");
});

test("a field that is no plain word is put in brackets", () => {
  expect(suggest("$json.user.", 11, known)?.list[0]?.insert).toBe('["first name"]');
});

test("chains go through calls, indexes and functions", () => {
  expect(labels("$json.user.tags[0].")[0]).toBe("name");
  expect(labels("$json.user.tags.first().")[0]).toBe("name");
  expect(labels('$json["user"]?.age.')).toContain("round");
  expect(labels("$json.when.toDateTime().")).toContain("toFormat");
  expect(labels("$now.plus(7, 'days').")).toContain("toISO");
});

test("another node's item has the fields that node gave", () => {
  expect(labels("$('Get users').")).toContain("first");
  expect(labels("$('Get users').item.json.")[0]).toBe("id");
  expect(labels("$('Get users').all()[0].json.")[0]).toBe("id");
});

test("inside of $(' the names of nodes are offered, with the quote escaped and closed", () => {
  const found = suggest("$('", 3, known);
  expect(found?.list.map((one) => one.insert)).toEqual(["Get users')", "It\\'s')"]);
});

test("variables and classes have their members", () => {
  expect(labels("$vars.")[0]).toBe("region");
  expect(labels("DateTime.")).toContain("fromISO");
});

test("nothing is offered inside of a text or for what is not known", () => {
  expect(suggest("'hello wor", 10, known)).toBeNull();
  expect(suggest("foo.", 4, known)).toBeNull();
});

test("a chain is read back over brackets that hold quotes", () => {
  expect(chainBefore(`$('a)b').item.`, 14).links).toEqual([
    { kind: "name", name: "$" },
    { kind: "call", args: "'a)b'" },
    { kind: "name", name: "item" },
  ]);
});
