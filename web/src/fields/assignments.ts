/** Fields to set, each with a name, a type and a value: the stored shape and the changes a form makes to it. */

import { isObject, type Json, type JsonObject } from "../graph/json";

export const ASSIGNMENT_TYPES = ["string", "number", "boolean", "array", "object"] as const;
export type AssignmentType = (typeof ASSIGNMENT_TYPES)[number];

export interface Assignment {
  id: string;
  name: string;
  value: Json;
  type: AssignmentType;
}

export function readAssignments(value: Json | undefined): Assignment[] {
  const list = isObject(value) ? value.assignments : undefined;
  if (!Array.isArray(list)) return [];
  return list.filter(isObject).map((entry) => ({
    id: typeof entry.id === "string" ? entry.id : "",
    name: typeof entry.name === "string" ? entry.name : "",
    value: entry.value ?? "",
    type: isAssignmentType(entry.type) ? entry.type : "string",
  }));
}

export function writeAssignments(list: Assignment[]): JsonObject {
  return { assignments: list.map((entry) => ({ ...entry })) };
}

function isAssignmentType(type: Json | undefined): type is AssignmentType {
  return ASSIGNMENT_TYPES.some((known) => known === type);
}

/** The type of a field by the sample of it that was dragged in. */
export function typeOfSample(sample: unknown): AssignmentType {
  if (Array.isArray(sample)) return "array";
  switch (typeof sample) {
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "object":
      return sample === null ? "string" : "object";
    default:
      return "string";
  }
}

/** A new field, named like none that is there; the name of a dragged field stays readable. */
export function newAssignment(
  list: readonly Assignment[],
  id: string,
  name: string,
  value: Json,
  type: AssignmentType,
): Assignment {
  return { id, name: name === "" ? "" : uniqueFieldName(list, name), value, type };
}

function uniqueFieldName(list: readonly Assignment[], wanted: string): string {
  const taken = new Set(list.map((entry) => entry.name));
  if (!taken.has(wanted)) return wanted;
  let number = 2;
  while (taken.has(`${wanted}_${number}`)) number++;
  return `${wanted}_${number}`;
}

/** The value after the type changed: kept where it still makes sense. */
export function retypeAssignment(entry: Assignment, type: AssignmentType): Assignment {
  if (typeof entry.value === "string" && entry.value.startsWith("=")) return { ...entry, type };
  const text = typeof entry.value === "string" ? entry.value : JSON.stringify(entry.value);
  switch (type) {
    case "number":
      return {
        ...entry,
        type,
        value: text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : "",
      };
    case "boolean":
      return { ...entry, type, value: text === "true" };
    case "array":
      return { ...entry, type, value: text.startsWith("[") ? text : "[]" };
    case "object":
      return { ...entry, type, value: text.startsWith("{") ? text : "{}" };
    default:
      return { ...entry, type, value: text };
  }
}
