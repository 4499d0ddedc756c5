/** Ordinary nodes as tools of an agent: the same node, of the type with `Tool` at its end, called by a model. */
import type { NodeType, Param } from "./spec";

const SUFFIX = "Tool";
export const TOOL_DESCRIPTION = "toolDescription";

const DESCRIPTION: Param = {
  name: TOOL_DESCRIPTION,
  label: "Description",
  kind: { type: "longText" },
  default: "",
  help: "Tells the model when to call the tool. If empty, it is made from the node and its operation.",
  required: false,
  show: [],
  hide: [{ param: "descriptionType", anyOf: [{ is: "auto" }] }],
  noExpression: false,
};

/** The ordinary type behind the type of a tool; nothing if the name is not that of one. */
export function ordinaryType(type: string): string | undefined {
  return type.endsWith(SUFFIX) ? type.slice(0, -SUFFIX.length) : undefined;
}

/** The description of a node as a tool. */
export function asTool(type: NodeType): NodeType {
  return {
    ...type,
    id: `${type.id}${SUFFIX}`,
    inputs: [],
    outputs: [{ kind: "ai_tool", label: "Tool", required: false, maxConnections: null, show: [] }],
    inputRules: [],
    outputRules: [],
    resumedBy: [],
    initial: [],
    params: [DESCRIPTION, ...type.params],
    aliases: [...type.aliases, `${type.name} tool`],
  };
}

/** Services are what agents call; other nodes work as tools too, but are seldom wanted as such. */
export function isOfferedAsTool(type: NodeType): boolean {
  return type.canBeTool === true && type.group === "integration";
}

/** Whether the model that calls the tool may decide the parameter at this path. */
export function canModelFill(type: NodeType | undefined, path: readonly (string | number)[]) {
  if (!type) return false;
  if (type.canBeTool) return path[0] !== TOOL_DESCRIPTION;
  const place = path.join(".");
  return (type.modelFills ?? []).some((one) => place === one || place.startsWith(`${one}.`));
}
