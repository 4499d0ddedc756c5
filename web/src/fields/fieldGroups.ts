/** Named groups of fields, each once or any number of times: reading what is stored and changing it. */

import { type FieldGroup, isObject, type Json, type JsonObject } from "../graph/json";
import { moveInList } from "../graph/paramPath";

export interface GroupEntry {
  group: FieldGroup;
  /** The position among the entries of its group; `null` where the group occurs once. */
  index: number | null;
  fields: JsonObject;
}

/** The entries in the order of their groups. What is stored in another form than expected is left alone. */
export function readEntries(groups: readonly FieldGroup[], value: Json | undefined): GroupEntry[] {
  if (!isObject(value)) return [];
  return groups.flatMap((group): GroupEntry[] => {
    const stored = value[group.name];
    if (Array.isArray(stored))
      return stored.map((fields, index) => ({
        group,
        index,
        fields: isObject(fields) ? fields : {},
      }));
    return isObject(stored) ? [{ group, index: null, fields: stored }] : [];
  });
}

/** A new entry starts with its defaults left out: only what is set is stored. */
export function addEntry(
  value: Json | undefined,
  group: FieldGroup,
  multiple: boolean,
): JsonObject {
  const before = isObject(value) ? value : {};
  if (!multiple) return { ...before, [group.name]: {} };
  const list = listOf(before[group.name]);
  return { ...before, [group.name]: [...list, {}] };
}

export function removeEntry(value: Json | undefined, entry: GroupEntry): JsonObject {
  const before = isObject(value) ? value : {};
  const { [entry.group.name]: stored, ...others } = before;
  if (entry.index === null) return others;
  const rest = listOf(stored).filter((_, index) => index !== entry.index);
  return rest.length > 0 ? { ...before, [entry.group.name]: rest } : others;
}

export function moveEntry(value: Json | undefined, entry: GroupEntry, by: number): JsonObject {
  const before = isObject(value) ? value : {};
  if (entry.index === null) return before;
  return {
    ...before,
    [entry.group.name]: moveInList(listOf(before[entry.group.name]), entry.index, entry.index + by),
  };
}

export function duplicateEntry(value: Json | undefined, entry: GroupEntry): JsonObject {
  const before = isObject(value) ? value : {};
  if (entry.index === null) return before;
  const list = listOf(before[entry.group.name]);
  return {
    ...before,
    [entry.group.name]: [
      ...list.slice(0, entry.index + 1),
      entry.fields,
      ...list.slice(entry.index + 1),
    ],
  };
}

function listOf(stored: Json | undefined): Json[] {
  if (Array.isArray(stored)) return stored;
  return isObject(stored) ? [stored] : [];
}

/** The heading of an entry: what tells it from its neighbours. */
export function entryTitle(entry: GroupEntry): string {
  for (const key of [
    "name",
    "fieldLabel",
    "fieldName",
    "label",
    "title",
    "key",
    "outputKey",
    "category",
    "field",
    "columnName",
    "keyName",
  ]) {
    const value = entry.fields[key];
    if (typeof value === "string" && value !== "" && !value.startsWith("=")) return value;
  }
  return entry.index === null ? entry.group.label : `${entry.group.label} ${entry.index + 1}`;
}
