/** A thing chosen from a list, by id, by name or by URL: the stored shape and where its list comes from. */

import { isObject, type Json, type JsonObject } from "../graph/json";

export interface Locator {
  mode: string;
  value: Json;
  /** The name of what was chosen, kept so that the form can show it without asking again. */
  cachedResultName?: string;
}

export const MODE_LABELS: Record<string, string> = {
  list: "From list",
  id: "By ID",
  url: "By URL",
  name: "By name",
};

export function readLocator(value: Json | undefined, modes: readonly string[]): Locator {
  const first = modes[0] ?? "id";
  if (isObject(value)) {
    const mode = typeof value.mode === "string" && value.mode !== "" ? value.mode : first;
    const name = typeof value.cachedResultName === "string" ? value.cachedResultName : undefined;
    return {
      mode,
      value: value.value ?? "",
      ...(name !== undefined && { cachedResultName: name }),
    };
  }
  // Older workflows hold the bare id.
  if (typeof value === "string" && value !== "")
    return { mode: modes.find((mode) => mode !== "list") ?? first, value };
  return { mode: first, value: "" };
}

export function writeLocator(locator: Locator): JsonObject {
  const { mode, value, cachedResultName } = locator;
  return { __rl: true, mode, value, ...(cachedResultName !== undefined && { cachedResultName }) };
}

/** The mode changed; what was chosen from the list goes on as an id, what was written by hand as a text. */
export function withMode(locator: Locator, mode: string): Locator {
  return {
    mode,
    value: locator.value,
    ...(mode === "list" &&
      locator.cachedResultName !== undefined && { cachedResultName: locator.cachedResultName }),
  };
}

/** Lists the server can give. */
export type ListSource = "workflows" | "dataTables" | "models" | "collections";

/** Which list belongs to a parameter; none means that the value has to be typed in. */
export function listSource(nodeType: string, param: string): ListSource | undefined {
  if (param === "workflowId") return "workflows";
  if (param === "dataTableId") return "dataTables";
  if (param === "model" || param === "modelId" || param === "modelName") return "models";
  if (param === "collection" && nodeType.startsWith("knowledge-base")) return "collections";
  return undefined;
}
