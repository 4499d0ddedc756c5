/** Decides which parameters a form shows and what the ones that were not set are worth, exactly as the server does. */

import { sameJson } from "./path";
import { isExpression, isObject, type Json, type JsonObject, type Param, type Rule } from "./spec";

/** Where in the parameters a rule is looked at: a leading `/` starts at the top. */
export interface Place {
  version: number;
  top?: JsonObject;
}

/** A parameter of a rule may get its default only after another one has got its own, so the filling goes round this often. */
const ROUNDS = 4;

/** The values with the default of every shown parameter that was not set. */
export function complete(params: readonly Param[], given: JsonObject, place: Place): JsonObject {
  const values: JsonObject = { ...given };
  for (let round = 0; round < ROUNDS; round++) {
    let changed = false;
    for (const param of params) {
      if (param.name in values || param.kind.type === "notice" || !isShown(param, values, place)) continue;
      values[param.name] = (param.default ?? null) as Json;
      changed = true;
    }
    if (!changed) break;
  }
  const inner: Place = { version: place.version, top: place.top ?? values };
  for (const param of shown(params, values, place)) {
    if (param.kind.type !== "groups") continue;
    const chosen = values[param.name];
    if (!isObject(chosen)) continue;
    const filled: JsonObject = { ...chosen };
    for (const group of param.kind.groups) {
      const entries = filled[group.name];
      const fill = (entry: Json): Json => (isObject(entry) ? complete(group.params, entry, inner) : entry);
      if (Array.isArray(entries)) filled[group.name] = entries.map(fill);
      else if (isObject(entries)) filled[group.name] = fill(entries);
    }
    values[param.name] = filled;
  }
  return values;
}

/**
 * The parameters that a form shows for these values, hidden ones left out. Of several forms of one parameter the first that fits is
 * shown: they would write the same value.
 */
export function shown(params: readonly Param[], values: JsonObject, place: Place): Param[] {
  const names = new Set<string>();
  return params.filter((param) => {
    if (param.kind.type === "hidden" || names.has(param.name) || !isShown(param, values, place)) return false;
    names.add(param.name);
    return true;
  });
}

export function isShown(param: Param, values: JsonObject, place: Place): boolean {
  const shows = param.show.every((rule) => holds(rule, values, place, true));
  return shows && !param.hide.some((rule) => holds(rule, values, place, false));
}

function holds(rule: Rule, values: JsonObject, place: Place, whenExpression: boolean): boolean {
  const value = found(rule.param, values, place);
  // What an expression will give is not known yet, so it does not hide anything.
  if (isExpression(value)) return whenExpression;
  const fits = (one: Json | undefined) => rule.anyOf.some((test) => passes(test, one));
  return Array.isArray(value) ? value.some(fits) : fits(value);
}

function found(param: string, values: JsonObject, place: Place): Json | undefined {
  if (param === "@version") return place.version;
  if (param.startsWith("/")) return lookup(place.top ?? values, param.slice(1));
  return lookup(values, param);
}

function lookup(values: JsonObject, path: string): Json | undefined {
  if (path in values) return values[path];
  return path.split(".").reduce<Json | undefined>((value, key) => (isObject(value) ? value[key] : undefined), values);
}

function passes(test: Rule["anyOf"][number], value: Json | undefined): boolean {
  if (test === "exists") return value !== undefined && value !== null;
  if ("is" in test) return sameJson(test.is as Json, value);
  if (typeof value !== "number") return false;
  return "atLeast" in test ? value >= test.atLeast - 1e-9 : value <= test.atMost + 1e-9;
}

/** What a value is worth to the form: the one that was set, else the default. */
export function currentValue(param: Param, values: JsonObject): Json | undefined {
  return param.name in values ? values[param.name] : ((param.default ?? undefined) as Json | undefined);
}
