/** The words of the server for parameters, with the JSON shapes their values are stored in. */

export type { FieldGroup, Param, ParamChoice, ParamKind, Rule, RuleTest } from "../api/spec";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Where a value stands inside the parameters of a node. */
export type ParamPath = readonly (string | number)[];

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a stored value is computed for each item instead of being taken as it stands. */
export function isExpression(value: unknown): value is `=${string}` {
  return typeof value === "string" && value.startsWith("=");
}
