/** What is wrong with the value of a parameter, in words for the person who filled it in. */

import { numberOf } from "./controls";
import { pathText } from "./path";
import { isExpression, type Json, type Param, type Path } from "./spec";

/** `failed` is where the last run stopped; it is said until the value is changed by running again. */
export function problemOf(
  param: Param,
  value: Json | undefined,
  path: Path,
  touched: boolean,
  failed: { parameter: string; message: string } | null,
): string | null {
  if (failed && failed.parameter === pathText(path)) return failed.message;
  if (isExpression(value)) return null;
  if (param.required && touched && (value === undefined || value === null || value === "")) return `${param.label} is needed.`;
  if (param.kind.type === "number") return numberProblem(param.kind.min, param.kind.max, value);
  return null;
}

function numberProblem(min: number | null, max: number | null, value: Json | undefined): string | null {
  if (value === undefined || value === null || value === "") return null;
  const number = numberOf(value);
  if (number === undefined) return "This is not a number.";
  if (min !== null && number < min)
    return max !== null ? `Choose a number from ${min} to ${max}.` : `Choose a number of at least ${min}.`;
  if (max !== null && number > max)
    return min !== null ? `Choose a number from ${min} to ${max}.` : `Choose a number of at most ${max}.`;
  return null;
}
