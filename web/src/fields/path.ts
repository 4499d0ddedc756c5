/** Reads and writes values inside parameters by path, sharing everything that does not change. */

import { isObject, type Json, type JsonObject, type Path } from "./spec";

export function getIn(root: Json | undefined, path: Path): Json | undefined {
  let value = root;
  for (const key of path) {
    if (Array.isArray(value)) value = value[Number(key)];
    else if (isObject(value)) value = value[key];
    else return undefined;
  }
  return value;
}

/** A copy with the value at the path; objects and lists on the way are made where they are missing. */
export function setIn(root: Json | undefined, path: Path, value: Json | undefined): Json | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof key === "number") {
    const list = Array.isArray(root) ? [...root] : [];
    const inner = setIn(list[key], rest, value);
    if (inner === undefined) list.splice(key, 1);
    else list[key] = inner;
    return list;
  }
  const object: JsonObject = isObject(root) ? { ...root } : {};
  const inner = setIn(object[key], rest, value);
  if (inner === undefined) delete object[key];
  else object[key] = inner;
  return object;
}

/** `parameters` with one value changed; `undefined` takes the value away, so that its default counts again. */
export function setParam(parameters: JsonObject, path: Path, value: Json | undefined): JsonObject {
  const changed = setIn(parameters, path, value);
  return isObject(changed) ? changed : {};
}

/** A list with one entry moved; positions outside of it change nothing. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const copy = [...list];
  if (from < 0 || from >= copy.length || to < 0 || to >= copy.length) return copy;
  const [entry] = copy.splice(from, 1);
  copy.splice(to, 0, entry as T);
  return copy;
}

/** How a path is written for people and in messages of the server: `rules.values[0].name`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? key : `${text}.${key}`;
  }, "");
}

export function sameJson(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((value, at) => sameJson(value, right[at]));
  }
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left);
    return keys.length === Object.keys(right).length && keys.every((key) => key in right && sameJson(left[key], right[key]));
  }
  return false;
}
