import { expect, test } from "vitest";
import { filterSchema, sampleText, schemaOf, schemaOfFields } from "./schema";

test("fields of all items are gathered with their types and a sample", () => {
  const [id, user] = schemaOf([{ id: 1 }, { id: "x", user: { name: "Ada" } }]);
  expect(id).toMatchObject({ key: "id", types: ["number", "string"], sample: 1, seen: 2 });
  expect(user?.children[0]).toMatchObject({ path: ["user", "name"], sample: "Ada", seen: 1 });
});

test("the first entry of a list stands for the list", () => {
  const [tags] = schemaOf([{ tags: [{ name: "a" }, { name: "b" }] }]);
  expect(tags?.children[0]?.children[0]).toMatchObject({ path: ["tags", 0, "name"], sample: "a" });
});

test("a sample is looked for until there is one", () => {
  expect(schemaOf([{ a: null }, { a: 5 }])[0]).toMatchObject({
    types: ["null", "number"],
    sample: 5,
  });
});

test("data that is very deep or very wide does not freeze the page", () => {
  let deep: unknown = 1;
  for (let level = 0; level < 10_000; level++) deep = { deep };
  expect(schemaOf([deep])).toHaveLength(1);
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`k${at}`, at]));
  expect(schemaOf([wide])).toHaveLength(500);
});

test("the server's flat list becomes the same tree", () => {
  const tree = schemaOfFields([
    { path: ["tags"], type: "array", sample: [] },
    { path: ["tags", "0"], type: "string", sample: "a" },
  ]);
  expect(tree[0]?.children[0]).toMatchObject({ path: ["tags", 0], types: ["string"], sample: "a" });
});

test("a search keeps the parents of what it finds", () => {
  const tree = schemaOf([{ id: 1, user: { name: "Ada", mail: "a@b" } }]);
  expect(
    filterSchema(tree, "ada").map((node) => [node.key, node.children.map((child) => child.key)]),
  ).toEqual([["user", ["name"]]]);
});

test("samples fit on a line", () => {
  expect([
    sampleText("a\nb"),
    sampleText([1]),
    sampleText({ a: 1, b: 2 }),
    sampleText(null),
  ]).toEqual(["a b", "1 entry", "2 fields", "null"]);
});
