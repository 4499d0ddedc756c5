/** Reads and writes values inside parameters by path, sharing everything that does not change. */

import { valueAt, withValueAt } from "./document";
import { isObject, type Json, type JsonObject, type ParamPath } from "./json";

/** The value at a path, or `undefined`. */
export function getIn(root: Json | undefined, path: ParamPath): Json | undefined {
  return valueAt(root, path) as Json | undefined;
}

/** `parameters` with one value changed; `undefined` takes the value away, so that its default counts again. */
export function setParam(
  parameters: JsonObject,
  path: ParamPath,
  value: Json | undefined,
): JsonObject {
  return path.length === 0 ? (isObject(value) ? value : {}) : withValueAt(parameters, path, value);
}

/** A list with one entry moved; positions outside of it change nothing. */
export function moveInList<T>(list: readonly T[], from: number, to: number): T[] {
  const copy = [...list];
  if (from < 0 || from >= copy.length || to < 0 || to >= copy.length) return copy;
  const [entry] = copy.splice(from, 1);
  copy.splice(to, 0, entry as T);
  return copy;
}

/** How a path is written for people and in messages of the server: `rules.values[0].name`. */
export function formatPath(path: ParamPath): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? key : `${text}.${key}`;
  }, "");
}

export function isSameJson(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((value, at) => isSameJson(value, right[at]));
  }
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => key in right && isSameJson(left[key], right[key]))
    );
  }
  return false;
}
