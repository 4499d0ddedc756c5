/** What the model that calls a tool may decide of it. */
import type { NodeType } from "./spec";

/** Whether it may decide the parameter at this path. */
export function canModelFill(type: NodeType | undefined, path: readonly (string | number)[]) {
  if (!type) return false;
  // Of an ordinary node everything, as its parameters are; what it has as a tool is its author's.
  if (type.asTool) return true;
  if (type.toolParams) return !type.toolParams.includes(String(path[0]));
  const place = path.join(".");
  return (type.modelFills ?? []).some((one) => place === one || place.startsWith(`${one}.`));
}
