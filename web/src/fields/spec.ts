/** The description of a parameter as the server sends it, and the JSON shapes its values are stored in. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** One parameter. Several may share a name when different settings show different forms of it. */
export interface Param {
  name: string;
  label: string;
  kind: ParamKind;
  default?: Json;
  help?: string;
  required?: boolean;
  /** All must hold for the parameter to be shown. */
  show?: Rule[];
  /** None may hold. */
  hide?: Rule[];
  /** The value is taken as it stands: a leading `=` has no meaning. */
  noExpression?: boolean;
}

export type ParamKind =
  | { type: "text" | "longText" | "secret" | "flag" | "json" | "dateTime" | "color" }
  | { type: "mapper" | "filter" | "assignments" | "credentialKind" | "notice" | "hidden" }
  | { type: "number"; min?: number | null; max?: number | null }
  | { type: "choice" | "multiChoice"; options: Choice[] }
  | { type: "code"; language: string }
  | { type: "collection"; params: Param[] }
  | { type: "groups"; groups: FieldGroup[]; multiple: boolean }
  | { type: "locator"; modes: string[] };

export interface Choice {
  value: Json;
  label: string;
  help?: string;
}

export interface FieldGroup {
  name: string;
  label: string;
  params: Param[];
}

/** A condition on another parameter (by path; a leading `/` starts at the top) or on `@version`. */
export interface Rule {
  param: string;
  anyOf: RuleTest[];
}

export type RuleTest = { is: Json } | { atLeast: number } | { atMost: number } | "exists";

/** Where a value stands inside the parameters of a node. */
export type Path = readonly (string | number)[];

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a stored value is computed for each item instead of being taken as it stands. */
export function isExpression(value: unknown): value is string {
  return typeof value === "string" && value.startsWith("=");
}
