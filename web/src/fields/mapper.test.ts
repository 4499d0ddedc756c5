import { expect, test } from "vitest";
import {
  knownColumns,
  readMapping,
  removeColumn,
  renameColumn,
  setColumn,
  writeMapping,
} from "./mapper";

const stored = {
  mappingMode: "defineBelow",
  value: { id: "1", name: "a" },
  matchingColumns: ["id"],
  schema: [{ id: "id" }, { id: "name" }],
};

test("what n8n keeps beside the values goes back as it came", () => {
  expect(writeMapping(readMapping(stored))).toEqual(stored);
  expect(writeMapping(readMapping({ mappingMode: "defineBelow", value: null }))).toEqual({
    mappingMode: "defineBelow",
    value: null,
    matchingColumns: [],
  });
});

test("the columns of the table are known from the kept schema", () => {
  expect(knownColumns(readMapping(stored))).toEqual(["id", "name"]);
});

test("a renamed column keeps its place and its role, a removed one loses both", () => {
  const renamed = renameColumn(readMapping(stored), "id", "key");
  expect(renamed.values[0]).toEqual(["key", "1"]);
  expect(renamed.matching).toEqual(["key"]);
  expect(removeColumn(renamed, "key")).toMatchObject({ values: [["name", "a"]], matching: [] });
  expect(renameColumn(readMapping(stored), "id", "name").values[0]?.[0]).toBe("id");
});

test("a column is set in its place or added at the end", () => {
  expect(setColumn(readMapping(stored), "id", 2).values[0]).toEqual(["id", 2]);
  expect(setColumn(readMapping(stored), "new", 3).values[2]).toEqual(["new", 3]);
});
