/** Lists that the server can give for a field: workflows, data tables and their columns, models of a provider. */

import { useQuery } from "@tanstack/react-query";
import { api, fetchAll } from "../api/client";
import { urlPath } from "../api/url";
import { isObject, type JsonObject } from "../graph/json";
import { useForm } from "../store/formContext";
import type { ListSource } from "./locator";

export interface ListEntry {
  value: string;
  label: string;
  hint?: string;
}

interface Named {
  id: string;
  name: string;
  isArchived?: boolean;
  active?: boolean;
}

interface DataTable extends Named {
  columns?: { name: string }[];
}

/** The entries of a list, or why there are none. */
export function useRemoteList(source: ListSource | undefined): {
  entries: ListEntry[];
  message?: string;
  isPending: boolean;
  error: Error | null;
} {
  const { credentials } = useForm();
  const credential =
    source === "models" ? Object.values(credentials).find((one) => one.id)?.id : undefined;
  const needsCredential = source === "models" && !credential;
  const found = useQuery({
    queryKey: ["list", source, credential],
    queryFn: () => loadList(source as ListSource, credential),
    enabled: source !== undefined && !needsCredential,
    staleTime: 60_000,
  });
  if (needsCredential)
    return {
      entries: [],
      message: "Select a credential to list the provider's models.",
      isPending: false,
      error: null,
    };
  return {
    entries: found.data?.entries ?? [],
    message: found.data?.message,
    isPending: found.isPending && source !== undefined,
    error: found.error,
  };
}

async function loadList(
  source: ListSource,
  credential: string | null | undefined,
): Promise<{ entries: ListEntry[]; message?: string }> {
  switch (source) {
    case "workflows": {
      const workflows = await fetchAll<Named>("/workflows");
      return {
        entries: workflows
          .filter((one) => !one.isArchived)
          .map((one) => ({
            value: one.id,
            label: one.name,
            ...(one.active && { hint: "active" }),
          })),
      };
    }
    case "dataTables": {
      const tables = await fetchAll<DataTable>("/data-tables");
      return { entries: tables.map((one) => ({ value: one.id, label: one.name })) };
    }
    case "collections": {
      const collections = await fetchAll<Named>("/collections");
      return { entries: collections.map((one) => ({ value: one.name, label: one.name })) };
    }
    case "models": {
      const answer = await api.get<{ data: string[]; message?: string | null }>(
        urlPath`/credentials/${credential}/models`,
      );
      return {
        entries: answer.data.map((name) => ({ value: name, label: name })),
        ...(answer.message && { message: answer.message }),
      };
    }
  }
}

/** The columns of the data table that a node has chosen. */
export function useTableColumns(parameters: JsonObject): string[] {
  const chosen = parameters.dataTableId;
  const id =
    isObject(chosen) && chosen.mode !== "name" && typeof chosen.value === "string"
      ? chosen.value
      : "";
  const found = useQuery({
    queryKey: ["list", "columns", id],
    queryFn: () => api.get<DataTable>(urlPath`/data-tables/${id}`),
    enabled: id !== "" && !id.startsWith("="),
    staleTime: 60_000,
  });
  return (found.data?.columns ?? []).map((column) => column.name);
}
