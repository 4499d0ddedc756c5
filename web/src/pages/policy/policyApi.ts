/** The policy in force, its stops, and what another one would have done. */

import { useQuery } from "@tanstack/react-query";
import { ApiError, api, queryClient } from "../../api/client";
import type { Policy, PolicyDryRun, PolicyStopInput, PolicyStopped } from "../../api/generated";

export type { Policy, PolicyDryRun } from "../../api/generated";

const KEY = ["policy"];

/** Others may change it, and stops matter at once. */
const REFETCH_MS = 10_000;

export function usePolicy() {
  return useQuery({
    queryKey: KEY,
    queryFn: () => api.get<Policy>("/policy"),
    refetchInterval: REFETCH_MS,
  });
}

/** Puts a text in force, if nobody else was quicker. */
export async function savePolicy(text: string, version: number): Promise<Policy> {
  try {
    const saved = await api.put<Policy>("/policy", { text, version });
    queryClient.setQueryData(KEY, saved);
    void queryClient.invalidateQueries({ queryKey: [...KEY, "try"] });
    return saved;
  } catch (error) {
    if (error instanceof ApiError && error.code === "POLICY_CHANGED") refresh();
    throw error;
  }
}

export async function addStop(stop: PolicyStopInput): Promise<string> {
  const { name } = await api.post<PolicyStopped>("/policy/stops", stop);
  refresh();
  return name;
}

export async function removeStop(name: string) {
  await api.delete(`/policy/stops?${new URLSearchParams({ name })}`);
  refresh();
}

/** The most calls a dry run looks at. */
export const MAX_CALLS = 1000;

export function tryPolicy(
  text: string,
  calls: number,
  signal?: AbortSignal,
): Promise<PolicyDryRun> {
  return api.post<PolicyDryRun>("/policy/dry-run", { text, calls }, signal);
}

/** What a text would have done to the last calls; it is asked once for a text. */
export function useDryRun(text: string, version: number, enabled = true) {
  return useQuery({
    queryKey: [...KEY, "try", version, text],
    queryFn: ({ signal }) => tryPolicy(text, MAX_CALLS, signal),
    enabled,
    retry: false,
    staleTime: 60_000,
    gcTime: 60_000,
  });
}

/** Whether the server takes a text: the message that says why not, or nothing. The text is tried on one call. */
export function usePolicyCheck(text: string, enabled: boolean) {
  return useQuery({
    queryKey: [...KEY, "check", text],
    queryFn: async ({ signal }): Promise<string | null> => {
      try {
        await tryPolicy(text, 1, signal);
        return null;
      } catch (error) {
        if (error instanceof ApiError && error.code === "POLICY_INVALID") return error.message;
        throw error;
      }
    },
    enabled,
    retry: false,
    gcTime: 10_000,
  });
}

function refresh() {
  void queryClient.invalidateQueries({ queryKey: KEY, exact: true });
}
