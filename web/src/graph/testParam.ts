/** Parameters for tests: what a test does not speak of is as the server sends it by default. */

import type { Param, ParamKind } from "./json";

export function testParam(
  name: string,
  kind: ParamKind | "text" | "number" | "flag",
  more: Partial<Param> = {},
): Param {
  const whole: ParamKind =
    kind === "number"
      ? { type: "number", min: null, max: null }
      : typeof kind === "string"
        ? { type: kind }
        : kind;
  return {
    name,
    label: name,
    kind: whole,
    default: "",
    help: "",
    required: false,
    show: [],
    hide: [],
    noExpression: false,
    ...more,
  };
}
