/** What is wrong with the value of a parameter, in words for the person who filled it in. */

import { isExpression, type Json, type Param, type ParamPath } from "../graph/json";
import { formatPath } from "../graph/paramPath";
import { toNumber } from "./controlValues";

/** `failed` is where the last run stopped; it is said until the value is changed by running again. */
export function findProblem(
  param: Param,
  value: Json | undefined,
  path: ParamPath,
  touched: boolean,
  failed: { parameter: string; message: string } | null,
): string | null {
  if (failed && failed.parameter === formatPath(path)) return failed.message;
  if (isExpression(value)) return null;
  if (param.required && touched && (value === undefined || value === null || value === ""))
    return `${param.label} is required.`;
  if (param.kind.type === "number") return numberProblem(param.kind.min, param.kind.max, value);
  return null;
}

function numberProblem(
  min: number | null,
  max: number | null,
  value: Json | undefined,
): string | null {
  if (value === undefined || value === null || value === "") return null;
  const number = toNumber(value);
  if (number === undefined) return "Not a number.";
  if (min !== null && number < min)
    return max !== null
      ? `Enter a number from ${min} to ${max}.`
      : `Enter a number of at least ${min}.`;
  if (max !== null && number > max)
    return min !== null
      ? `Enter a number from ${min} to ${max}.`
      : `Enter a number of at most ${max}.`;
  return null;
}
