/** Carries the settings "convert types" and "ignore case" of a node into the filters it holds, wherever they stand. */

import { isObject, type Json, type JsonObject, type ParamPath } from "../graph/json";
import { readFilter, withComparison } from "./filter";

/** Whether a change may have touched one of the two settings. */
export function affectsComparison(path: ParamPath): boolean {
  return path[0] === "looseTypeValidation" || path[0] === "options";
}

export function applyComparisonSettings(parameters: JsonObject): JsonObject {
  const options = isObject(parameters.options) ? parameters.options : {};
  const loose = parameters.looseTypeValidation === true || options.looseTypeValidation === true;
  const ignoreCase = options.ignoreCase === true;
  return mapFilters(
    parameters,
    (filter) => withComparison(readFilter(filter, {}), loose, ignoreCase) as unknown as Json,
  ) as JsonObject;
}

function mapFilters(value: Json, change: (filter: JsonObject) => Json): Json {
  if (Array.isArray(value)) return value.map((entry) => mapFilters(entry, change));
  if (!isObject(value)) return value;
  if (Array.isArray(value.conditions) && typeof value.combinator === "string") return change(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, mapFilters(inner, change)]),
  );
}
