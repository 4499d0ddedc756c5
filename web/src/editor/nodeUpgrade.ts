/** Taking a node to the newest version of its type: which settings appear, go, or mean something else when they were left alone. */
import type { Catalogue } from "../api/catalogue";
import { newestVersion } from "../api/catalogue";
import type { NodeType } from "../api/spec";
import type { WorkflowNode } from "../api/workflowDocument";
import { findNode, updateNode } from "../graph/document";
import type { Json, JsonObject } from "../graph/json";
import { isSameJson } from "../graph/paramPath";
import { visibleParams, withDefaults } from "../graph/visibleParams";
import { useEditor } from "../store/editorStore";
import { confirm } from "../ui";

export interface Upgrade {
  from: number;
  to: number;
  /** Whether the description of the old version is known, so that the two can be compared. */
  isComparable: boolean;
  added: string[];
  removed: string[];
  /** Settings that were left alone and are worth something else in the new version. */
  changed: string[];
}

/** What an update of a node would bring; `null` if it has the newest version already. */
export function findUpgrade(node: WorkflowNode, types: Pick<Catalogue, "find">): Upgrade | null {
  const latest = types.find(node.type);
  if (!latest || newestVersion(latest) <= node.typeVersion) return null;
  const to = newestVersion(latest);
  const current = types.find(node.type, node.typeVersion);
  const upgrade: Upgrade = {
    from: node.typeVersion,
    to,
    isComparable: !!current,
    added: [],
    removed: [],
    changed: [],
  };
  if (!current) return upgrade;
  const before = formFields(current, node, node.typeVersion);
  const after = formFields(latest, node, to);
  for (const [name, setting] of after) {
    const old = before.get(name);
    if (!old) upgrade.added.push(setting.label);
    else if (!(name in node.parameters) && !isSameJson(old.value, setting.value))
      upgrade.changed.push(setting.label);
  }
  for (const [name, setting] of before) if (!after.has(name)) upgrade.removed.push(setting.label);
  return upgrade;
}

/** The settings that a form of this version shows for the node, by name. */
function formFields(type: NodeType, node: WorkflowNode, version: number) {
  const values = withDefaults(type.params, node.parameters as JsonObject, { version });
  const found = new Map<string, { label: string; value: Json }>();
  for (const param of visibleParams(type.params, values, { version })) {
    if (param.kind.type === "notice") continue;
    found.set(param.name, { label: param.label, value: values[param.name] ?? null });
  }
  return found;
}

/** The upgrade in words, for somebody who has to decide. */
export function describeUpgrade({
  from,
  to,
  isComparable,
  added,
  removed,
  changed,
}: Upgrade): string {
  if (!isComparable)
    return `Version ${from} is unknown, so the versions cannot be compared. Settings stay unchanged.`;
  const parts = [
    added.length > 0 && `New settings: ${added.join(", ")}.`,
    removed.length > 0 &&
      `No longer used: ${removed.join(", ")}. Their values are kept in case you undo.`,
    changed.length > 0 && `Defaults that change in version ${to}: ${changed.join(", ")}.`,
  ].filter(Boolean);
  return parts.length > 0
    ? parts.join(" ")
    : "No settings change. The node may behave differently.";
}

/** Says what an update changes and, if that is wanted, makes it as one step that can be undone. */
export async function confirmUpgrade(name: string, types: Pick<Catalogue, "find">) {
  const node = findNode(useEditor.getState().workflow, name);
  const upgrade = node && findUpgrade(node, types);
  if (!upgrade) return;
  const title = `Update “${name}” to version ${upgrade.to}?`;
  if (
    !(await confirm({
      title,
      text: `${describeUpgrade(upgrade)} Press Ctrl+Z to undo.`,
      action: "Update",
    }))
  )
    return;
  useEditor
    .getState()
    .change(`Update ${name}`, (document) =>
      updateNode(document, name, (old) => ({ ...old, typeVersion: upgrade.to })),
    );
}
