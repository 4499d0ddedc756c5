/** One's own API keys, and the scopes they may have. */

import { useQuery } from "@tanstack/react-query";
import { api, queryClient } from "../../api/client";
import type { ApiKey, ApiKeyInput, NewApiKey } from "../../api/generated";
import { urlPath } from "../../api/url";

export type { ApiKey, NewApiKey };

const KEY = ["api-keys"];

export function useApiKeys() {
  return useQuery({
    queryKey: KEY,
    queryFn: async (): Promise<ApiKey[]> => (await api.raw("GET", "/api/me/api-keys")).json(),
  });
}

export async function createApiKey(body: ApiKeyInput): Promise<NewApiKey> {
  const made: NewApiKey = await (await api.raw("POST", "/api/me/api-keys", { body })).json();
  void queryClient.invalidateQueries({ queryKey: KEY });
  return made;
}

export async function revokeApiKey(id: string) {
  await api.raw("DELETE", urlPath`/api/me/api-keys/${id}`);
  void queryClient.invalidateQueries({ queryKey: KEY });
}

/** Scopes by what they are about: `workflow` with `list`, `read` and so on. */
export function scopeGroups(scopes: readonly string[]): { about: string; scopes: string[] }[] {
  const groups = new Map<string, string[]>();
  for (const scope of scopes) {
    const about = scope.split(":")[0] ?? scope;
    groups.set(about, [...(groups.get(about) ?? []), scope]);
  }
  return [...groups].map(([about, list]) => ({ about, scopes: list }));
}

/** What a key may do, in a few words. */
export function describeScopes(scopes: readonly string[]): string {
  if (scopes.includes("*")) return "All your permissions";
  if (scopes.length > 2 && readOnlyScopes(scopes).length === scopes.length) return "Read only";
  if (scopes.length <= 2) return scopes.join(", ");
  return `${scopes.slice(0, 2).join(", ")} and ${scopes.length - 2} more`;
}

/** Those that change nothing. */
export function readOnlyScopes(scopes: readonly string[]): string[] {
  return scopes.filter((scope) => /:(list|read|readRow)$/.test(scope));
}

/** The moment a key ends, counted from now. */
export function expiryDate(days: number, now: Date): string | null {
  return days === 0 ? null : new Date(now.getTime() + days * 86_400_000).toISOString();
}
