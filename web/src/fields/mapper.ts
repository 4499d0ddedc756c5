/** Columns of a table with a value each: the stored shape and the changes a form makes to it. */

import { isObject, type Json, type JsonObject } from "../graph/json";

export interface Mapping {
  mode: "defineBelow" | "autoMapInputData";
  values: [column: string, value: Json][];
  matching: string[];
  /** What n8n's editor keeps beside: the columns it saw, and how values are converted. It goes back as it came. */
  rest: JsonObject;
}

export function readMapping(value: Json | undefined): Mapping {
  const { mappingMode, value: values, matchingColumns, ...rest } = isObject(value) ? value : {};
  return {
    mode: mappingMode === "autoMapInputData" ? "autoMapInputData" : "defineBelow",
    values: isObject(values) ? Object.entries(values) : [],
    matching: Array.isArray(matchingColumns)
      ? matchingColumns.filter((column) => typeof column === "string")
      : [],
    rest,
  };
}

export function writeMapping(mapping: Mapping): JsonObject {
  const values = mapping.values.length > 0 ? Object.fromEntries(mapping.values) : null;
  return {
    ...mapping.rest,
    mappingMode: mapping.mode,
    value: values,
    matchingColumns: mapping.matching,
  };
}

/** The columns that the schema kept beside the mapping names. */
export function knownColumns(mapping: Mapping): string[] {
  const schema = mapping.rest.schema;
  if (!Array.isArray(schema)) return [];
  return schema
    .filter(isObject)
    .flatMap((column) => (typeof column.id === "string" ? [column.id] : []));
}

/** A column renamed in its place; its role in finding rows goes with it. */
export function renameColumn(mapping: Mapping, from: string, to: string): Mapping {
  if (mapping.values.some(([column]) => column === to)) return mapping;
  return {
    ...mapping,
    values: mapping.values.map(([column, value]) => [column === from ? to : column, value]),
    matching: mapping.matching.map((column) => (column === from ? to : column)),
  };
}

export function removeColumn(mapping: Mapping, column: string): Mapping {
  return {
    ...mapping,
    values: mapping.values.filter(([name]) => name !== column),
    matching: mapping.matching.filter((name) => name !== column),
  };
}

export function setColumn(mapping: Mapping, column: string, value: Json): Mapping {
  const has = mapping.values.some(([name]) => name === column);
  const values: Mapping["values"] = has
    ? mapping.values.map(([name, before]) => [name, name === column ? value : before])
    : [...mapping.values, [column, value]];
  return { ...mapping, values };
}
