/** Collections of knowledge as the server has them: documents in chunks, found by their meaning. */

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api, fetchAll, queryClient } from "../../api/client";
import type {
  Collection,
  CollectionChunk,
  CollectionFound,
  CollectionQuestion,
  CollectionSource,
} from "../../api/generated";
import { LOCAL_EMBEDDINGS } from "../../api/localModels";
import { urlPath } from "../../api/url";

export type { Collection } from "../../api/generated";

export type DocumentSource = CollectionSource;
export type DocumentChunk = CollectionChunk;
export type FoundChunk = CollectionFound["results"][number];
export type SearchQuery = Required<Omit<CollectionQuestion, "metadata">>;

/** Credentials that come with embedding models, and the usual model of each. */
export const EMBEDDERS: Record<string, string> = {
  openAiApi: "text-embedding-3-small",
  azureOpenAiApi: "text-embedding-3-small",
  googlePalmApi: "models/gemini-embedding-001",
  mistralCloudApi: "mistral-embed",
  cohereApi: "embed-v4.0",
  ollamaApi: "nomic-embed-text",
};

/** Whether the model on the server makes its vectors, unless a credential was selected. The server decides in the same way. */
export function usesLocalEmbeddings(
  collection: Pick<Collection, "credentialId" | "embeddingModel">,
): boolean {
  const { credentialId, embeddingModel } = collection;
  return !credentialId && (!embeddingModel || embeddingModel === LOCAL_EMBEDDINGS);
}

const KEY = ["collections"];

export function useCollections() {
  return useQuery({ queryKey: KEY, queryFn: () => fetchAll<Collection>("/collections") });
}

export function useCollection(id: string) {
  return useQuery({
    queryKey: [...KEY, id],
    queryFn: () => api.get<Collection>(urlPath`/collections/${id}`),
  });
}

export function useSources(id: string) {
  return useQuery({
    queryKey: [...KEY, id, "sources"],
    queryFn: async () =>
      (await api.get<{ data: DocumentSource[] }>(urlPath`/collections/${id}/sources`)).data,
  });
}

export function useChunks(id: string, source: string) {
  return useInfiniteQuery({
    queryKey: [...KEY, id, "chunks", source],
    queryFn: ({ pageParam }) =>
      api.get<{ data: DocumentChunk[]; nextCursor: string | null }>(
        urlPath`/collections/${id}/chunks`,
        {
          limit: 25,
          source,
          cursor: pageParam,
        },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
}

interface NewCollection {
  name: string;
  description?: string;
  credentialId?: string;
  embeddingModel?: string;
  projectId?: string;
}

export async function createCollection(collection: NewCollection): Promise<Collection> {
  const made = await api.post<Collection>("/collections", collection);
  refresh();
  return made;
}

export async function updateCollection(
  id: string,
  change: { name?: string; description?: string; credentialId?: string },
) {
  await api.patch(urlPath`/collections/${id}`, change);
  refresh();
}

export async function deleteCollection(id: string) {
  await api.delete(urlPath`/collections/${id}`);
  queryClient.removeQueries({ queryKey: [...KEY, id] });
  void queryClient.invalidateQueries({ queryKey: KEY, exact: true });
}

export async function addFile(id: string, file: File): Promise<number> {
  const headers = { "content-type": file.type || "application/octet-stream" };
  const response = await api.raw("POST", urlPath`/api/v1/collections/${id}/files`, {
    query: { source: file.name },
    body: file,
    headers,
  });
  const { chunks } = (await response.json()) as { chunks: number };
  refresh();
  return chunks;
}

export async function addText(id: string, source: string, text: string): Promise<number> {
  const { chunks } = await api.post<{ chunks: number }>(urlPath`/collections/${id}/texts`, {
    text,
    source,
  });
  refresh();
  return chunks;
}

export async function deleteSource(id: string, source: string) {
  await api.delete(`${urlPath`/collections/${id}/sources`}?${new URLSearchParams({ source })}`);
  refresh();
}

export async function searchCollection(id: string, question: SearchQuery): Promise<FoundChunk[]> {
  return (await api.post<{ results: FoundChunk[] }>(urlPath`/collections/${id}/search`, question))
    .results;
}

function refresh() {
  void queryClient.invalidateQueries({ queryKey: KEY });
}
