/** Variables: values that every workflow of the instance, or of a project, reads as `$vars.NAME`. */

import { useQuery } from "@tanstack/react-query";
import { urlPath } from "../../api/address";
import { all, api, queryClient } from "../../api/client";

export interface Variable {
  id: string;
  key: string;
  value: string;
  project?: { id: string } | null;
}

export const LONGEST_KEY = 50;
export const LONGEST_VALUE = 1000;

const KEY = ["variables"];

export function useVariables() {
  return useQuery({ queryKey: KEY, queryFn: () => all<Variable>("/variables") });
}

export async function saveVariable(id: string | null, key: string, value: string, projectId: string | null) {
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
  if (key === "") return "A name is needed.";
  if (key.length > LONGEST_KEY) return `A name has at most ${LONGEST_KEY} letters.`;
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) return "Letters, digits and _ only, and no digit at the start.";
  return undefined;
}
