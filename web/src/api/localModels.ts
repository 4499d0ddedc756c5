/** The models that run on the server: which are there, and the download of those that are not. */
import { useQuery } from "@tanstack/react-query";
import { api, queryClient } from "./client";
import type { LocalModel, LocalModelList } from "./generated";
import { urlPath } from "./url";

export type { LocalModel } from "./generated";

/** What collections use unless a credential is selected for them. */
export const LOCAL_EMBEDDINGS = "all-minilm-l6-v2";

const KEY = ["local-models"];
const POLL_MS = 1000;

/** The built-in models. They are asked for again while one is being downloaded. */
export function useLocalModels() {
  return useQuery({
    queryKey: KEY,
    queryFn: async () => (await api.get<LocalModelList>("/local-models")).data,
    refetchInterval: (query) =>
      query.state.data?.some((model) => model.state === "downloading") ? POLL_MS : false,
  });
}

export function useLocalEmbeddings(): LocalModel | undefined {
  return useLocalModels().data?.find((model) => model.name === LOCAL_EMBEDDINGS);
}

/** Begins a download, which goes on at the server. */
export async function downloadLocalModel(name: string): Promise<void> {
  await api.post(urlPath`/local-models/${name}/download`);
  await queryClient.invalidateQueries({ queryKey: KEY });
}
