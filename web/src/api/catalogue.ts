// Which nodes there are: their descriptions, as the server has them, looked up by type and version.
import { useQuery } from "@tanstack/react-query";
import { api, isUnreachable, queryClient } from "./client";
import type { NodeType } from "./spec";

export class Catalogue {
  /** Ordinary nodes in the form in which a model calls them. */
  readonly tools: readonly NodeType[];
  private readonly byType = new Map<string, NodeType[]>();

  constructor(readonly all: readonly NodeType[]) {
    this.tools = all.flatMap((type) => asTool(type) ?? []);
    for (const type of [...all, ...this.tools]) {
      const known = this.byType.get(type.id);
      if (known) known.push(type);
      else this.byType.set(type.id, [type]);
    }
    for (const versions of this.byType.values())
      versions.sort((a, b) => newestVersion(a) - newestVersion(b));
  }

  /** The description that serves a version; without one, the newest. */
  find(type: string, version?: number): NodeType | undefined {
    const known = this.byType.get(type);
    if (!known || version === undefined) return known?.at(-1);
    return known.find((entry) => entry.versions.includes(version));
  }

  findNewest(type: string): NodeType | undefined {
    return this.byType.get(type)?.at(-1);
  }

  /** The newest description of every type. */
  types(): NodeType[] {
    const ids = new Set(this.all.map((type) => type.id));
    return [...ids].flatMap((id) => this.findNewest(id) ?? []);
  }
}

/** The description of a node that a model calls: it takes no items, gives a tool and has the parameters of both. */
function asTool(type: NodeType): NodeType | null {
  const { asTool: form, ...ordinary } = type;
  if (!form) return null;
  return {
    ...ordinary,
    id: form.id,
    name: form.name,
    group: "tool",
    inputs: [],
    outputs: form.outputs,
    inputRules: [],
    outputRules: [],
    initial: [],
    params: [...form.params, ...type.params],
    toolParams: form.params.map((param) => param.name),
  };
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
