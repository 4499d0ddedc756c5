/** Parameters of a tool that the model decides when it calls the tool. */

import type { NodeType } from "../api/spec";
import { canModelFill } from "../api/toolTypes";
import type { Param, ParamPath } from "../graph/json";

const TYPES: Partial<Record<Param["kind"]["type"], string>> = {
  text: "string",
  longText: "string",
  number: "number",
  flag: "boolean",
  json: "json",
  dateTime: "string",
};

export function canModelDecide(
  type: NodeType | undefined,
  path: ParamPath,
  param: Pick<Param, "kind">,
): boolean {
  return param.kind.type in TYPES && canModelFill(type, path);
}

/** The expression that asks the model: by a name it can read, with what the parameter is for. */
export function fromAiExpression(param: Param): string {
  const type = TYPES[param.kind.type] ?? "string";
  const name =
    param.label
      .replace(/[^\w-]+/g, "_")
      .replace(/^_+|_+$/g, "")
      .slice(0, 64) || param.name;
  const help = param.help.replace(/[\\']/g, "").replaceAll("}}", "");
  return `={{ $fromAI('${name}', '${help}', '${type}') }}`;
}
