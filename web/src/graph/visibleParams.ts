/** Decides which parameters a form shows and what the ones that were not set are worth, exactly as the server does. */

import { isExpression, isObject, type Json, type JsonObject, type Param, type Rule } from "./json";
import { isSameJson } from "./paramPath";

/** Where in the parameters a rule is looked at: a leading `/` starts at the top. */
export interface RuleContext {
  version: number;
  top?: JsonObject;
}

/** A parameter of a rule may get its default only after another one has got its own, so the filling goes round this often. */
const MAX_PASSES = 4;

/** The values with the default of every shown parameter that was not set. */
export function withDefaults(
  params: readonly Param[],
  given: JsonObject,
  place: RuleContext,
): JsonObject {
  const values: JsonObject = { ...given };
  for (let round = 0; round < MAX_PASSES; round++) {
    let changed = false;
    for (const param of params) {
      if (param.name in values || param.kind.type === "notice" || !isVisible(param, values, place))
        continue;
      values[param.name] = (param.default ?? null) as Json;
      changed = true;
    }
    if (!changed) break;
  }
  const inner: RuleContext = { version: place.version, top: place.top ?? values };
  for (const param of visibleParams(params, values, place)) {
    if (param.kind.type !== "groups") continue;
    const chosen = values[param.name];
    if (!isObject(chosen)) continue;
    const filled: JsonObject = { ...chosen };
    for (const group of param.kind.groups) {
      const entries = filled[group.name];
      const fill = (entry: Json): Json =>
        isObject(entry) ? withDefaults(group.params, entry, inner) : entry;
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
export function visibleParams(
  params: readonly Param[],
  values: JsonObject,
  place: RuleContext,
): Param[] {
  const names = new Set<string>();
  return params.filter((param) => {
    if (param.kind.type === "hidden" || names.has(param.name) || !isVisible(param, values, place))
      return false;
    names.add(param.name);
    return true;
  });
}

export function isVisible(param: Param, values: JsonObject, place: RuleContext): boolean {
  const shows = param.show.every((rule) => ruleHolds(rule, values, place, true));
  return shows && !param.hide.some((rule) => ruleHolds(rule, values, place, false));
}

export function ruleHolds(
  rule: Rule,
  values: JsonObject,
  place: RuleContext,
  whenExpression: boolean,
): boolean {
  const value = resolveParam(rule.param, values, place);
  // What an expression will give is not known yet, so it does not hide anything.
  if (isExpression(value)) return whenExpression;
  const fits = (one: Json | undefined) => rule.anyOf.some((test) => testPasses(test, one));
  return Array.isArray(value) ? value.some(fits) : fits(value);
}

function resolveParam(param: string, values: JsonObject, place: RuleContext): Json | undefined {
  if (param === "@version") return place.version;
  if (param.startsWith("/")) return lookup(place.top ?? values, param.slice(1));
  return lookup(values, param);
}

function lookup(values: JsonObject, path: string): Json | undefined {
  if (path in values) return values[path];
  return path
    .split(".")
    .reduce<Json | undefined>((value, key) => (isObject(value) ? value[key] : undefined), values);
}

function testPasses(test: Rule["anyOf"][number], value: Json | undefined): boolean {
  if (test === "exists") return value !== undefined && value !== null;
  if ("is" in test) return isSameJson(test.is as Json, value);
  if (typeof value !== "number") return false;
  return "atLeast" in test ? value >= test.atLeast - 1e-9 : value <= test.atMost + 1e-9;
}

/** What a value is worth to the form: the one that was set, else the default. */
export function currentValue(param: Param, values: JsonObject): Json | undefined {
  return param.name in values
    ? values[param.name]
    : ((param.default ?? undefined) as Json | undefined);
}
