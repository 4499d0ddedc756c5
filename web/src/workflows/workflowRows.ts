/** Which workflows the list shows: what the address asks for, and what of it fits. */
import type { WorkflowDocument, WorkflowTag } from "../api/workflowDocument";
import { STICKY_NOTE } from "../graph/document";

/** A workflow as the list needs it; its nodes are counted and let go. */
export interface WorkflowRow {
  id: string;
  name: string;
  active: boolean;
  archived: boolean;
  createdAt: string;
  updatedAt: string;
  tags: readonly WorkflowTag[];
  nodeCount: number;
  /** The types of its nodes, each once; the catalogue knows which of them start it. */
  types: readonly string[];
  folderId: string | null;
  projectId: string | null;
}

export interface FolderRow {
  id: string;
  name: string;
  parentId: string | null;
  projectId: string | null;
}

export type Status = "all" | "active" | "inactive" | "archived";
export type SortKey = "updated" | "created" | "name" | "nodes";

/** What the address asks for. */
export interface WorkflowListView {
  text: string;
  tags: readonly string[];
  status: Status;
  project: string | null;
  folder: string | null;
  sort: SortKey;
  descending: boolean;
}

const STATUSES: readonly Status[] = ["all", "active", "inactive", "archived"];
const SORTS: readonly SortKey[] = ["updated", "created", "name", "nodes"];

export function toRow(document: WorkflowDocument): WorkflowRow {
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  const parent = document.parentFolder as { id?: string } | null | undefined;
  const steps = document.nodes.filter((node) => node.type !== STICKY_NOTE);
  return {
    id: document.id ?? "",
    name: document.name,
    active: document.active === true,
    archived: document.isArchived === true,
    createdAt: document.createdAt ?? "",
    updatedAt: document.updatedAt ?? "",
    tags: document.tags ?? [],
    nodeCount: steps.length,
    types: [...new Set(steps.map((node) => node.type))],
    folderId: text(document.parentFolderId) ?? parent?.id ?? null,
    projectId:
      text(document.projectId) ?? (document.homeProject as { id?: string } | undefined)?.id ?? null,
  };
}

export function parseListView(query: URLSearchParams): WorkflowListView {
  const status = query.get("status") as Status;
  const sort = query.get("sort") as SortKey;
  return {
    text: query.get("q") ?? "",
    tags: query.getAll("tag"),
    status: STATUSES.includes(status) ? status : "all",
    project: query.get("project"),
    folder: query.get("folder"),
    sort: SORTS.includes(sort) ? sort : "updated",
    descending: query.has("order") ? query.get("order") === "desc" : sort !== "name",
  };
}

/** The address of a view; what is as usual is left out, so that a plain list has a plain address. */
export function serializeListView(view: WorkflowListView): URLSearchParams {
  const query = new URLSearchParams();
  if (view.text) query.set("q", view.text);
  for (const tag of view.tags) query.append("tag", tag);
  if (view.status !== "all") query.set("status", view.status);
  if (view.project) query.set("project", view.project);
  if (view.folder) query.set("folder", view.folder);
  if (view.sort !== "updated") query.set("sort", view.sort);
  if (view.descending !== (view.sort !== "name"))
    query.set("order", view.descending ? "desc" : "asc");
  return query;
}

/** Whether something is looked for; then all folders are searched, not only the open one. */
export function isSearch(view: WorkflowListView): boolean {
  return view.text.trim() !== "" || view.tags.length > 0;
}

export function filterRows(rows: readonly WorkflowRow[], view: WorkflowListView): WorkflowRow[] {
  const words = view.text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter((row) => {
    if (row.archived !== (view.status === "archived")) return false;
    if (view.status === "active" && !row.active) return false;
    if (view.status === "inactive" && row.active) return false;
    if (view.project !== null && row.projectId !== view.project) return false;
    if (!isSearch(view) && view.status !== "archived" && row.folderId !== view.folder) return false;
    const name = row.name.toLowerCase();
    return (
      words.every((word) => name.includes(word)) &&
      view.tags.every((tag) => row.tags.some((own) => own.name === tag))
    );
  });
  const turn = view.descending ? -1 : 1;
  return found.sort(
    (one, other) => turn * compare(one, other, view.sort) || one.name.localeCompare(other.name),
  );
}

function compare(one: WorkflowRow, other: WorkflowRow, key: SortKey): number {
  switch (key) {
    case "name":
      return one.name.localeCompare(other.name, undefined, { numeric: true, sensitivity: "base" });
    case "nodes":
      return one.nodeCount - other.nodeCount;
    case "created":
      return one.createdAt.localeCompare(other.createdAt);
    case "updated":
      return one.updatedAt.localeCompare(other.updatedAt);
  }
}

/** A name that no other has: "Copy of X", then "Copy of X (2)" and so on. */
export function copyName(name: string, taken: readonly string[]): string {
  const first = `Copy of ${name}`;
  if (!taken.includes(first)) return first;
  for (let count = 2; ; count += 1) {
    const next = `${first} (${count})`;
    if (!taken.includes(next)) return next;
  }
}

/** The names of the tags that all of these workflows have. */
export function commonTags(rows: readonly WorkflowRow[]): string[] {
  const [first, ...others] = rows.map((row) => row.tags.map((tag) => tag.name));
  return (first ?? []).filter((name) => others.every((names) => names.includes(name)));
}

/** The tags of a workflow after those that it has in common with others were changed; its own stay. */
export function mergeTags(
  row: WorkflowRow,
  common: readonly string[],
  names: readonly string[],
): string[] {
  const own = row.tags.map((tag) => tag.name).filter((name) => !common.includes(name));
  return [...new Set([...own, ...names])];
}
