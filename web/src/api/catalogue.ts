// Which nodes there are: their descriptions, as the server has them, looked up by type and version.
import { useQuery } from "@tanstack/react-query";
import { api, isUnreachable, queryClient } from "./client";
import type { NodeType } from "./spec";
import { asTool, isOfferedAsTool, ordinaryType } from "./toolTypes";

export class Catalogue {
  private readonly byType = new Map<string, NodeType[]>();
  /** Descriptions of ordinary nodes as tools, made when they are first asked for. */
  private readonly asTools = new Map<string, NodeType[]>();

  constructor(readonly all: readonly NodeType[]) {
    for (const type of all) {
      const known = this.byType.get(type.id);
      if (known) known.push(type);
      else this.byType.set(type.id, [type]);
    }
    for (const versions of this.byType.values())
      versions.sort((a, b) => newestVersion(a) - newestVersion(b));
  }

  /** The description that serves a version; without one, the newest. */
  find(type: string, version?: number): NodeType | undefined {
    const known = this.entries(type);
    if (!known || version === undefined) return known?.at(-1);
    return known.find((entry) => entry.versions.includes(version));
  }

  findNewest(type: string): NodeType | undefined {
    return this.entries(type)?.at(-1);
  }

  /** Every entry of a type; an ordinary type with “Tool” at its end is that type, called by a model. */
  private entries(type: string): NodeType[] | undefined {
    const known = this.byType.get(type) ?? this.asTools.get(type);
    if (known) return known;
    const ordinary = ordinaryType(type);
    const found = ordinary === undefined ? undefined : this.byType.get(ordinary);
    if (!found?.every((entry) => entry.canBeTool)) return undefined;
    const tools = found.map(asTool);
    this.asTools.set(type, tools);
    return tools;
  }

  /** The newest description of every service as a tool of an agent. */
  tools(): NodeType[] {
    return this.types()
      .filter(isOfferedAsTool)
      .flatMap((type) => this.findNewest(asTool(type).id) ?? []);
  }

  /** The newest description of every type. */
  types(): NodeType[] {
    return [...this.byType.values()].flatMap((versions) => versions.at(-1) ?? []);
  }
}

/** The version a new node of this type gets. */
export function newestVersion(type: NodeType): number {
  return Math.max(...type.versions);
}

const EMPTY = new Catalogue([]);

async function loadCatalogue(): Promise<Catalogue> {
  return new Catalogue(await api.get<NodeType[]>("/node-types"));
}

/** The catalogue as it is just now, for what is no component. */
export function getCatalogue(): Catalogue {
  return queryClient.getQueryData<Catalogue>(["node-types"]) ?? EMPTY;
}

const MAX_RETRY_DELAY_MS = 5000;

/** The catalogue; empty until it has arrived. Without it nothing can be built, so it is asked for until there is an answer. */
export function useCatalogue(): Catalogue {
  const found = useQuery({
    queryKey: ["node-types"],
    queryFn: loadCatalogue,
    staleTime: Number.POSITIVE_INFINITY,
    retry: (_, error) => isUnreachable(error),
    retryDelay: (failures) => Math.min(500 * 2 ** failures, MAX_RETRY_DELAY_MS),
  });
  return found.data ?? EMPTY;
}
