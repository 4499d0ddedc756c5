/** Taking a node to the newest version of its type: which settings appear, go, or mean something else when they were left alone. */
import type { Catalogue } from "../api/catalogue";
import { newest } from "../api/catalogue";
import type { NodeType } from "../api/spec";
import { sameJson } from "../fields/path";
import { complete, shown } from "../fields/shown";
import type { Json, JsonObject } from "../fields/spec";
import { nodeOf, updateNode } from "../graph/document";
import type { WorkflowNode } from "../graph/types";
import { confirm } from "../ui";
import { useEditor } from "./store";

export interface Upgrade {
  from: number;
  to: number;
  /** Whether the description of the old version is known, so that the two can be compared. */
  isComparable: boolean;
  appear: string[];
  go: string[];
  /** Settings that were left alone and are worth something else in the new version. */
  change: string[];
}

/** What an update of a node would bring; `null` if it has the newest version already. */
export function upgradeOf(node: WorkflowNode, types: Pick<Catalogue, "find">): Upgrade | null {
  const latest = types.find(node.type);
  if (!latest || newest(latest) <= node.typeVersion) return null;
  const to = newest(latest);
  const current = types.find(node.type, node.typeVersion);
  const upgrade: Upgrade = { from: node.typeVersion, to, isComparable: !!current, appear: [], go: [], change: [] };
  if (!current) return upgrade;
  const before = formOf(current, node, node.typeVersion);
  const after = formOf(latest, node, to);
  for (const [name, setting] of after) {
    const old = before.get(name);
    if (!old) upgrade.appear.push(setting.label);
    else if (!(name in node.parameters) && !sameJson(old.value, setting.value)) upgrade.change.push(setting.label);
  }
  for (const [name, setting] of before) if (!after.has(name)) upgrade.go.push(setting.label);
  return upgrade;
}

/** The settings that a form of this version shows for the node, by name. */
function formOf(type: NodeType, node: WorkflowNode, version: number) {
  const values = complete(type.params, node.parameters as JsonObject, { version });
  const found = new Map<string, { label: string; value: Json }>();
  for (const param of shown(type.params, values, { version })) {
    if (param.kind.type === "notice") continue;
    found.set(param.name, { label: param.label, value: values[param.name] ?? null });
  }
  return found;
}

/** The upgrade in words, for somebody who has to decide. */
export function upgradeWords({ from, to, isComparable, appear, go, change }: Upgrade): string {
  if (!isComparable)
    return `Version ${from} is not known here, so the two cannot be compared. Its settings are kept as they are.`;
  const parts = [
    appear.length > 0 && `New settings: ${appear.join(", ")}.`,
    go.length > 0 && `No longer used: ${go.join(", ")}. What was set there is kept, in case you undo this.`,
    change.length > 0 && `Left alone until now and different in version ${to}: ${change.join(", ")}.`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(" ") : "No setting of this node appears, goes or changes; it may work in a different way.";
}

/** Says what an update changes and, if that is wanted, makes it as one step that can be undone. */
export async function updateVersion(name: string, types: Pick<Catalogue, "find">) {
  const node = nodeOf(useEditor.getState().workflow, name);
  const upgrade = node && upgradeOf(node, types);
  if (!upgrade) return;
  const title = `Update “${name}” to version ${upgrade.to}?`;
  if (!(await confirm({ title, text: `${upgradeWords(upgrade)} Ctrl+Z takes it back.`, action: "Update" }))) return;
  useEditor
    .getState()
    .change(`Update ${name}`, (document) => updateNode(document, name, (old) => ({ ...old, typeVersion: upgrade.to })));
}
