import { expect, test } from "vitest";
import {
  addEntry,
  duplicateEntry,
  entryTitle,
  type GroupEntry,
  moveEntry,
  readEntries,
  removeEntry,
} from "./fieldGroups";

const group = { name: "values", label: "Value", params: [] };
const other = { name: "others", label: "Other", params: [] };
const stored = { values: [{ name: "a" }, { name: "b" }], others: { x: 1 } };
const entries = () => readEntries([group, other], stored);
const second = () => entries()[1] as GroupEntry;

test("entries are read in the order of their groups, repeated or not", () => {
  expect(entries().map((entry) => [entry.group.name, entry.index])).toEqual([
    ["values", 0],
    ["values", 1],
    ["others", null],
  ]);
  expect(readEntries([group], null)).toEqual([]);
});

test("entries are added, moved, duplicated and removed", () => {
  expect(addEntry(undefined, group, true)).toEqual({ values: [{}] });
  expect(addEntry({}, other, false)).toEqual({ others: {} });
  expect(moveEntry(stored, second(), -1).values).toEqual([{ name: "b" }, { name: "a" }]);
  expect(duplicateEntry(stored, second()).values).toHaveLength(3);
  expect(removeEntry(stored, second()).values).toEqual([{ name: "a" }]);
});

test("a group without entries is taken out", () => {
  expect(removeEntry({ values: [{}] }, { group, index: 0, fields: {} })).toEqual({});
});

test("an entry is called by its name where it has one", () => {
  expect(entries().map(entryTitle)).toEqual(["a", "b", "Other"]);
  expect(entryTitle({ group, index: 1, fields: { name: "={{ 1 }}" } })).toBe("Value 2");
});
