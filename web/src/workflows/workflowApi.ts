/** Workflows, folders and tags as the server has them, and what can be done with them from the list. */

import { queryOptions, useQuery } from "@tanstack/react-query";
import { ApiError, api, fetchAll, queryClient } from "../api/client";
import { urlPath } from "../api/url";
import type { WorkflowDocument, WorkflowTag } from "../api/workflowDocument";
import { buildCompatibility, type Compatibility, type WorkflowCheck } from "./compatibility";
import { copyName, type FolderRow, toRow, type WorkflowRow } from "./workflowRows";

export const WORKFLOWS = ["workflows"];
const FOLDERS = ["folders"];
const TAGS = ["tags"];

/** What a new workflow is made of; the server owns every other field. */
const SENT = ["name", "nodes", "connections", "settings", "staticData", "pinData", "meta"] as const;

const ROWS = queryOptions({
  queryKey: WORKFLOWS,
  queryFn: async () =>
    (await fetchAll<WorkflowDocument>("/workflows", { excludePinnedData: true })).map(toRow),
});

export function useWorkflows() {
  return useQuery(ROWS);
}

/** All workflows with their nodes. */
export function useWorkflowDocuments() {
  return useQuery({
    queryKey: [...WORKFLOWS, "documents"],
    queryFn: () => fetchAll<WorkflowDocument>("/workflows"),
    staleTime: 15_000,
  });
}

/** The folders; none where the server has none. */
export function useFolders() {
  return useQuery({
    queryKey: FOLDERS,
    queryFn: async (): Promise<{ folders: FolderRow[]; known: boolean }> => {
      try {
        return { folders: await fetchAll<FolderRow>("/folders"), known: true };
      } catch (error) {
        if (error instanceof ApiError && (error.status === 404 || error.status === 405))
          return { folders: [], known: false };
        throw error;
      }
    },
  });
}

export function useTags() {
  return useQuery({ queryKey: TAGS, queryFn: () => fetchAll<WorkflowTag>("/tags") });
}

export function loadWorkflow(id: string): Promise<WorkflowDocument> {
  return api.get<WorkflowDocument>(urlPath`/workflows/${id}`);
}

export async function createWorkflow(
  document: WorkflowDocument,
  place: { projectId?: string | null; folderId?: string | null } = {},
): Promise<WorkflowDocument> {
  const body: Record<string, unknown> = {};
  for (const field of SENT) if (document[field] !== undefined) body[field] = document[field];
  if (place.projectId) body.projectId = place.projectId;
  if (place.folderId) body.parentFolderId = place.folderId;
  const made = await api.post<WorkflowDocument>("/workflows", body);
  refresh(WORKFLOWS);
  return made;
}

/** Makes a copy where the workflow is, under a name that no other has. */
export async function duplicateWorkflow(document: WorkflowDocument): Promise<WorkflowDocument> {
  const names = (await queryClient.fetchQuery(ROWS)).map((row) => row.name);
  return createWorkflow({ ...document, name: copyName(document.name, names) }, toRow(document));
}

export async function renameWorkflow(id: string, name: string) {
  const document = await loadWorkflow(id);
  const body: Record<string, unknown> = {};
  for (const field of SENT) if (document[field] !== undefined) body[field] = document[field];
  await api.put(urlPath`/workflows/${id}`, { ...body, name });
  refresh(WORKFLOWS);
}

/** Shown at once; if the server refuses, it is as before and the error is thrown. */
export async function setActive(id: string, active: boolean) {
  const before = queryClient.getQueryData<WorkflowRow[]>(WORKFLOWS);
  const show = (value: boolean) =>
    queryClient.setQueryData<WorkflowRow[]>(WORKFLOWS, (rows) =>
      rows?.map((row) => (row.id === id ? { ...row, active: value } : row)),
    );
  show(active);
  try {
    await api.post(urlPath`/workflows/${id}/${active ? "activate" : "deactivate"}`);
  } catch (error) {
    queryClient.setQueryData(WORKFLOWS, before);
    throw error;
  }
  refresh(WORKFLOWS);
}

export async function setArchived(id: string, archived: boolean) {
  await api.post(urlPath`/workflows/${id}/${archived ? "archive" : "unarchive"}`);
  refresh(WORKFLOWS);
}

export async function deleteWorkflow(id: string) {
  await api.delete(urlPath`/workflows/${id}`);
  refresh(WORKFLOWS);
}

export async function moveToProject(id: string, project: string) {
  await api.put(urlPath`/workflows/${id}/transfer`, { destinationProjectId: project });
  refresh(WORKFLOWS);
}

export async function moveToFolder(id: string, folder: string | null) {
  await api.patch(urlPath`/workflows/${id}`, { parentFolderId: folder });
  refresh(WORKFLOWS);
}

/** Gives a workflow exactly these tags; those that are not there yet are made, and are known from then on. */
export async function setTags(id: string, names: readonly string[], known: WorkflowTag[]) {
  const tags: { id: string }[] = [];
  for (const name of names) {
    let tag = known.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (!tag) {
      tag = await api.post<WorkflowTag>("/tags", { name });
      known.push(tag);
    }
    tags.push({ id: tag.id });
  }
  await api.put(urlPath`/workflows/${id}/tags`, tags);
  refresh(WORKFLOWS);
  refresh(TAGS);
}

export async function createFolder(
  name: string,
  parentId: string | null,
  projectId: string | null,
): Promise<FolderRow> {
  const made = await api.post<FolderRow>("/folders", {
    name,
    // A folder within another one is where that one is.
    ...(parentId ? { parentId } : projectId ? { projectId } : {}),
  });
  refresh(FOLDERS);
  return made;
}

export async function updateFolder(
  id: string,
  change: { name?: string; parentId?: string | null },
) {
  await api.patch(urlPath`/folders/${id}`, change);
  refresh(FOLDERS);
}

/** What lies in it moves up. */
export async function deleteFolder(id: string) {
  await api.delete(urlPath`/folders/${id}`);
  refresh(FOLDERS);
  refresh(WORKFLOWS);
}

export async function checkWorkflow({
  nodes,
  connections,
  settings,
}: WorkflowDocument): Promise<Compatibility> {
  return buildCompatibility(
    await api.post<WorkflowCheck>("/workflows/check", {
      nodes,
      connections,
      settings: settings ?? {},
    }),
  );
}

/** What is at an address, read by the server under its rules for outgoing requests. */
export async function fetchWorkflow(url: string): Promise<unknown> {
  const answer = await api.post<{ workflow: unknown }>("/workflows/fetch", { url });
  return answer.workflow;
}

function refresh(key: readonly string[]) {
  void queryClient.invalidateQueries({ queryKey: key });
}
