/** What is known about the data where a node stands: a sample of its input and of what the nodes before it gave. */

import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { fetchAll } from "../api/client";
import { fetchItems, type ItemsOptions, itemsKey } from "../run/runItems";
import { useEditor } from "../store/editorStore";
import type { ExpressionScope } from "../store/formContext";
import type { NodeContext } from "./nodeContext";
import { listNodeRuns, runVersion } from "./nodeRuns";

/** Samples of more nodes than these would be many requests for little use. */
const MAX_NODES = 12;

export function useExpressionScope(
  around: NodeContext,
  item: number,
): { scope: ExpressionScope; items: number } {
  const run = useEditor((state) => state.run);
  const pins = useEditor((state) => state.workflow.pinData);
  const direct = around.direct;
  const names = useMemo(() => around.before.slice(0, MAX_NODES), [around]);
  const variables = useQuery({
    queryKey: ["variables", "names"],
    queryFn: fetchVariableNames,
    staleTime: 60_000,
    retry: false,
  });
  const asked = names.map((name): ItemsOptions & { enabled: boolean } => {
    const runs = listNodeRuns(run, name).filter((one) => !one.served);
    const last = runs.at(-1);
    const output =
      name === direct?.from
        ? direct.output
        : (last?.outputs.find((one) => one.items > 0)?.index ?? 0);
    const offset = name === direct?.from ? item : 0;
    const has = (last?.outputs.find((one) => one.index === output)?.items ?? 0) > offset;
    return {
      executionId: run?.executionId,
      node: name,
      run: last?.runIndex ?? 0,
      output,
      offset,
      limit: 1,
      version: runVersion(run, last),
      enabled: Boolean(run?.executionId) && has && !pins?.[name],
    };
  });
  const samples = useQueries({
    queries: asked.map(({ enabled, ...options }) => ({
      queryKey: itemsKey(options),
      queryFn: ({ signal }: { signal: AbortSignal }) => fetchItems(options, signal),
      enabled,
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    })),
    combine: (results) => results.map((result) => result.data?.items[0]?.json),
  });
  const pinned = direct ? pins?.[direct.from] : undefined;
  const directRun = direct ? listNodeRuns(run, direct.from).at(-1) : undefined;
  const items =
    pinned?.length ?? directRun?.outputs.find((one) => one.index === direct?.output)?.items ?? 0;
  const scope = useMemo((): ExpressionScope => {
    const nodes = names.map((name, at) => {
      const json = pins?.[name]?.[0]?.json ?? samples[at];
      return json === undefined ? { name } : { name, json };
    });
    const own = direct
      ? (pins?.[direct.from]?.[item]?.json ?? samples[names.indexOf(direct.from)])
      : undefined;
    return { json: own, nodes, variables: variables.data ?? [] };
  }, [names, samples, pins, direct, item, variables.data]);
  return { scope, items };
}

async function fetchVariableNames(): Promise<string[]> {
  return (await fetchAll<{ key: string }>("/variables")).map((variable) => variable.key);
}
