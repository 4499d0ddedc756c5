/** Variables: values that every workflow of the instance, or of a project, reads as `$vars.NAME`. */

import { useQuery } from "@tanstack/react-query";
import { api, fetchAll, queryClient } from "../../api/client";
import { urlPath } from "../../api/url";

export interface VariableRow {
  id: string;
  key: string;
  value: string;
  project?: { id: string } | null;
}

export const MAX_KEY_CHARS = 50;
export const MAX_VALUE_CHARS = 1000;

const KEY = ["variables"];

export function useVariables() {
  return useQuery({ queryKey: KEY, queryFn: () => fetchAll<VariableRow>("/variables") });
}

export async function saveVariable(
  id: string | null,
  key: string,
  value: string,
  projectId: string | null,
) {
  const body = { key, value, ...(projectId ? { projectId } : {}) };
  if (id === null) await api.post("/variables", body);
  else await api.put(urlPath`/variables/${id}`, body);
  await queryClient.invalidateQueries({ queryKey: KEY });
}

export async function deleteVariable(id: string) {
  await api.delete(urlPath`/variables/${id}`);
  await queryClient.invalidateQueries({ queryKey: KEY });
}

/** Why a name cannot be that of a variable, or nothing. */
export function keyProblem(key: string): string | undefined {
  if (key === "") return "Enter a name.";
  if (key.length > MAX_KEY_CHARS) return `Use at most ${MAX_KEY_CHARS} characters.`;
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key))
    return "Use only letters, digits and _. Do not start with a digit.";
  return undefined;
}
