/** Credentials as the server has them: without what they hold, which it never gives out again. */

import { useQuery } from "@tanstack/react-query";
import { api, fetchAll, queryClient } from "../api/client";
import type { Credential, CredentialTest } from "../api/generated";
import { urlPath } from "../api/url";

export type { Credential, CredentialTest as TestResult } from "../api/generated";

const KEY = ["credentials"];

export function useCredentials() {
  return useQuery({ queryKey: KEY, queryFn: () => fetchAll<Credential>("/credentials") });
}

/** All that this person may use, as they are now. */
export function fetchCredentials(): Promise<Credential[]> {
  return queryClient.fetchQuery({
    queryKey: KEY,
    queryFn: () => fetchAll<Credential>("/credentials"),
  });
}

/** One credential with whom it is shared, for those who may change that. */
export function useCredential(id: string) {
  return useQuery({
    queryKey: [...KEY, id],
    queryFn: () => api.get<Credential>(urlPath`/credentials/${id}`),
    staleTime: 0,
  });
}

interface NewCredential {
  name: string;
  type: string;
  data: Record<string, unknown>;
  projectId?: string;
}

export async function createCredential(credential: NewCredential): Promise<Credential> {
  return refreshCredentials(await api.post<Credential>("/credentials", credential));
}

/** Renames it, and replaces the fields that are given; the others are kept. */
export async function updateCredential(
  id: string,
  name: string,
  data: Record<string, unknown>,
): Promise<Credential> {
  const body = Object.keys(data).length > 0 ? { name, data, isPartialData: true } : { name };
  return refreshCredentials(await api.patch<Credential>(urlPath`/credentials/${id}`, body));
}

export async function deleteCredential(id: string) {
  await api.delete(urlPath`/credentials/${id}`);
  refreshCredentials(null);
}

export function testCredential(id: string): Promise<CredentialTest> {
  return api.post<CredentialTest>(urlPath`/credentials/${id}/test`);
}

/** Lets the workflows of exactly these other projects use it. */
export async function shareCredential(id: string, projects: readonly string[]) {
  await api.put(urlPath`/credentials/${id}/share`, { shareWithIds: projects });
  refreshCredentials(null);
}

export async function moveCredential(id: string, project: string) {
  await api.put(urlPath`/credentials/${id}/transfer`, { destinationProjectId: project });
  refreshCredentials(null);
}

function refreshCredentials<T>(value: T): T {
  void queryClient.invalidateQueries({ queryKey: KEY });
  return value;
}
