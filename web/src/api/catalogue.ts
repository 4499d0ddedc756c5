// Which nodes there are: their descriptions, as the server has them, looked up by type and version.
import { useQuery } from "@tanstack/react-query";
import { api, isSilence, queryClient } from "./client";
import type { NodeType } from "./spec";

export class Catalogue {
  private readonly byType = new Map<string, NodeType[]>();

  constructor(readonly all: readonly NodeType[]) {
    for (const type of all) {
      const known = this.byType.get(type.id);
      if (known) known.push(type);
      else this.byType.set(type.id, [type]);
    }
    for (const versions of this.byType.values()) versions.sort((a, b) => newest(a) - newest(b));
  }

  /** The description that serves a version; without one, the newest. */
  find(type: string, version?: number): NodeType | undefined {
    const known = this.byType.get(type);
    if (!known || version === undefined) return known?.at(-1);
    return known.find((entry) => entry.versions.includes(version));
  }

  newest(type: string): NodeType | undefined {
    return this.byType.get(type)?.at(-1);
  }

  /** The newest description of every type. */
  types(): NodeType[] {
    return [...this.byType.values()].flatMap((versions) => versions.at(-1) ?? []);
  }
}

/** The version a new node of this type gets. */
export function newest(type: NodeType): number {
  return Math.max(...type.versions);
}

const NONE = new Catalogue([]);

async function load(): Promise<Catalogue> {
  return new Catalogue(await api.get<NodeType[]>("/node-types"));
}

/** The catalogue as it is just now, for what is no component. */
export function catalogueNow(): Catalogue {
  return queryClient.getQueryData<Catalogue>(["node-types"]) ?? NONE;
}

const LONGEST_PAUSE_MS = 5000;

/** The catalogue; empty until it has arrived. Without it nothing can be built, so it is asked for until there is an answer. */
export function useCatalogue(): Catalogue {
  const found = useQuery({
    queryKey: ["node-types"],
    queryFn: load,
    staleTime: Number.POSITIVE_INFINITY,
    retry: (_, error) => isSilence(error),
    retryDelay: (failures) => Math.min(500 * 2 ** failures, LONGEST_PAUSE_MS),
  });
  return found.data ?? NONE;
}
