import { expect, test } from "vitest";
import {
  newAssignment,
  readAssignments,
  retypeAssignment,
  typeOfSample,
  writeAssignments,
} from "./assignments";

test("what is stored is read back unchanged", () => {
  const stored = { assignments: [{ id: "1", name: "a", value: "={{ $json.a }}", type: "string" }] };
  expect(writeAssignments(readAssignments(stored))).toEqual(stored);
  expect(readAssignments({})).toEqual([]);
});

test("a dragged field brings its type along", () => {
  expect([1, "x", true, [1], { a: 1 }, null].map(typeOfSample)).toEqual([
    "number",
    "string",
    "boolean",
    "array",
    "object",
    "string",
  ]);
});

test("two fields do not get the same name", () => {
  const list = readAssignments({ assignments: [{ name: "a" }, { name: "a_2" }] });
  expect(newAssignment(list, "3", "a", "", "string").name).toBe("a_3");
});

test("a value survives a change of type where it makes sense", () => {
  const entry = { id: "1", name: "n", value: "12", type: "string" } as const;
  expect(retypeAssignment(entry, "number").value).toBe(12);
  expect(retypeAssignment({ ...entry, value: "={{ 1 }}" }, "number").value).toBe("={{ 1 }}");
  expect(retypeAssignment(entry, "object").value).toBe("{}");
  expect(retypeAssignment({ ...entry, value: 5, type: "number" }, "string").value).toBe("5");
});
