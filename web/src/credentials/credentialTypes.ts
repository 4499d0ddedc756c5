/** The credential types there are, as the server describes them: their names, fields and where a key is created. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, queryClient } from "../api/client";
import type { CredentialType } from "../api/generated";
import { humanize } from "../shared/humanize";

export type { CredentialType, CredentialTypeField } from "../api/generated";

const GROUPS = ["Models", "Any service", "Databases and email", "Services"];

export class CredentialTypes {
  private readonly byId = new Map<string, CredentialType>();

  constructor(readonly all: readonly CredentialType[]) {
    for (const type of all) for (const id of [type.id, ...type.aliases]) this.byId.set(id, type);
  }

  /** The description of a type. One that nobody has described has a name made of its id. */
  find(id: string): CredentialType {
    const known = this.byId.get(id);
    if (known) return known;
    const family = id.includes("OAuth2")
      ? this.all.find((type) => type.prefixes.some((prefix) => id.startsWith(prefix)))
      : undefined;
    const name = humanize(id.replace(/(OAuth2)?Api$/, ""));
    return { ...(family ?? UNKNOWN), id, name };
  }

  /** Every type that is described, and those that are used besides, group by group. */
  list(used: Iterable<string>): CredentialType[] {
    const others = [...new Set(used)].filter((id) => !this.byId.has(id)).map((id) => this.find(id));
    return [...this.all, ...others].sort(
      (one, other) => GROUPS.indexOf(one.group) - GROUPS.indexOf(other.group),
    );
  }
}

const UNKNOWN: CredentialType = {
  id: "",
  aliases: [],
  name: "",
  group: "Services",
  fields: [],
  allowsOtherFields: true,
  helpUrl: "",
  prefixes: [],
  baseUrl: "",
};

const KEY = ["credential-types"];
const EMPTY = new CredentialTypes([]);

const TYPES = queryOptions({
  queryKey: KEY,
  queryFn: async () => new CredentialTypes(await api.get<CredentialType[]>("/credential-types")),
  staleTime: Number.POSITIVE_INFINITY,
});

export function useCredentialTypesQuery() {
  return useQuery(TYPES);
}

/** The types, for what is no component. */
export function fetchCredentialTypes(): Promise<CredentialTypes> {
  return queryClient.fetchQuery(TYPES);
}

/** The types; empty until they have arrived. */
export function useCredentialTypes(): CredentialTypes {
  return useCredentialTypesQuery().data ?? EMPTY;
}
