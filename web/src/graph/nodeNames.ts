/** Names and ids of nodes: free ones, and why a name cannot be had. */
import type { WorkflowDocument } from "../api/workflowDocument";

/** A name that no node has yet: `Set`, then `Set1`, `Set2` … */
export function uniqueName(
  document: WorkflowDocument,
  wanted: string,
  alsoTaken?: ReadonlySet<string>,
): string {
  const taken = new Set(document.nodes.map((node) => node.name));
  const isTaken = (name: string) => taken.has(name) || !!alsoTaken?.has(name);
  if (!isTaken(wanted)) return wanted;
  const stem = wanted.replace(/\d+$/, "");
  let number = 1;
  while (isTaken(`${stem}${number}`)) number++;
  return `${stem}${number}`;
}

/** Why a node cannot have this name, in words for the person who typed it; `null` if it can. */
export function nameProblem(document: WorkflowDocument, from: string, to: string): string | null {
  const name = to.trim();
  if (name === "") return "Enter a name. Other nodes use it to refer to this node.";
  if (name !== from && document.nodes.some((node) => node.name === name))
    return `A node named “${name}” already exists. Use another name.`;
  return null;
}

/** A new id. Browsers offer `randomUUID` only on secure pages, and an editor in a home network is often not one. */
export function newId(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
