/** Long-term memories: their statistics, entries, searches, and corrections that never overwrite somebody else's. */

import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api, fetchAll, queryClient } from "../../api/client";
import type {
  Memory,
  MemoryDeleted,
  MemoryEntryChange,
  MemoryFound,
  MemoryQuestion,
  StoredMemoryEntry,
  StoredMemoryEntryList,
} from "../../api/generated";
import { urlPath } from "../../api/url";

export type { Memory } from "../../api/generated";
export type MemoryEntry = StoredMemoryEntry;
export type FoundEntry = MemoryFound["results"][number];

const KEY = ["memories"];

/** Entries that are asked for at once. */
export const ENTRY_PAGE = 250;

export function useMemories() {
  return useQuery({ queryKey: KEY, queryFn: () => fetchAll<Memory>("/memories") });
}

export function useMemory(id: string) {
  return useQuery({
    queryKey: [...KEY, id],
    queryFn: () => api.get<Memory>(urlPath`/memories/${id}`),
  });
}

/** All entries, or those of a subject, in the order in which they were stored. */
export function useEntries(id: string, subject: string, enabled: boolean) {
  return useInfiniteQuery({
    queryKey: [...KEY, id, "entries", subject],
    queryFn: ({ pageParam }) =>
      api.get<StoredMemoryEntryList>(urlPath`/memories/${id}/entries`, {
        limit: ENTRY_PAGE,
        subject,
        cursor: pageParam,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    enabled,
  });
}

export function useFoundEntries(id: string, question: MemoryQuestion | null) {
  return useQuery({
    queryKey: [...KEY, id, "found", question],
    queryFn: async ({ signal }) =>
      (await api.post<MemoryFound>(urlPath`/memories/${id}/search`, question, signal)).results,
    enabled: question !== null,
    placeholderData: keepPreviousData,
    // What is looked for is counted in the statistics of the memory, so nothing is asked twice.
    staleTime: 60_000,
  });
}

/** An entry as it is now; nothing if it is gone. */
export async function findEntry(id: string, entry: MemoryEntry): Promise<MemoryEntry | undefined> {
  let cursor: string | null = null;
  do {
    const page: StoredMemoryEntryList = await api.get(urlPath`/memories/${id}/entries`, {
      limit: ENTRY_PAGE,
      subject: entry.subject,
      cursor,
    });
    const found = page.data.find((one) => one.id === entry.id);
    if (found) return found;
    cursor = page.nextCursor;
  } while (cursor !== null);
  return undefined;
}

export async function changeEntry(
  id: string,
  entryId: string,
  change: MemoryEntryChange,
): Promise<MemoryEntry> {
  const path = urlPath`/memories/${id}/entries/${entryId}`;
  const changed = await api.patch<MemoryEntry>(path, change);
  refresh(id);
  return changed;
}

export async function deleteEntry(id: string, entryId: string) {
  await api.delete(urlPath`/memories/${id}/entries/${entryId}`);
  refresh(id);
}

/** Gives how many entries there were. */
export async function deleteSubject(id: string, subject: string): Promise<number> {
  const path = `${urlPath`/memories/${id}/subjects`}?${new URLSearchParams({ subject })}`;
  const { deletedCount } = await api.delete<MemoryDeleted>(path);
  refresh(id);
  return deletedCount;
}

export async function deleteMemory(id: string) {
  await api.delete(urlPath`/memories/${id}`);
  queryClient.removeQueries({ queryKey: [...KEY, id] });
  void queryClient.invalidateQueries({ queryKey: KEY, exact: true });
}

function refresh(id: string) {
  void queryClient.invalidateQueries({ queryKey: [...KEY, id] });
  void queryClient.invalidateQueries({ queryKey: KEY, exact: true });
}
