/** What is known about the data where a node stands: a sample of its input and of what the nodes before it gave. */

import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { all } from "../api/client";
import { useEditor } from "../editor/store";
import type { Known } from "../expression/complete";
import { fetchItems, type ItemsOptions, itemsKey } from "../run/items";
import type { Surroundings } from "./neighbours";
import { runsOf, versionOf } from "./runs";

/** Samples of more nodes than these would be many requests for little use. */
const MOST_NODES = 12;

export function useKnown(around: Surroundings, item: number): { known: Known; items: number } {
  const run = useEditor((state) => state.run);
  const pins = useEditor((state) => state.workflow.pinData);
  const direct = around.direct;
  const names = useMemo(() => around.before.slice(0, MOST_NODES), [around]);
  const variables = useQuery({ queryKey: ["variables", "names"], queryFn: loadVariables, staleTime: 60_000, retry: false });
  const asked = names.map((name): ItemsOptions & { enabled: boolean } => {
    const runs = runsOf(run, name).filter((one) => !one.served);
    const last = runs.at(-1);
    const output = name === direct?.from ? direct.output : (last?.outputs.find((one) => one.items > 0)?.index ?? 0);
    const offset = name === direct?.from ? item : 0;
    const has = (last?.outputs.find((one) => one.index === output)?.items ?? 0) > offset;
    return {
      executionId: run?.executionId,
      node: name,
      run: last?.runIndex ?? 0,
      output,
      offset,
      limit: 1,
      version: versionOf(run, last),
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
  const directRun = direct ? runsOf(run, direct.from).at(-1) : undefined;
  const items = pinned?.length ?? directRun?.outputs.find((one) => one.index === direct?.output)?.items ?? 0;
  const known = useMemo((): Known => {
    const nodes = names.map((name, at) => {
      const json = pins?.[name]?.[0]?.json ?? samples[at];
      return json === undefined ? { name } : { name, json };
    });
    const own = direct ? (pins?.[direct.from]?.[item]?.json ?? samples[names.indexOf(direct.from)]) : undefined;
    return { json: own, nodes, variables: variables.data ?? [] };
  }, [names, samples, pins, direct, item, variables.data]);
  return { known, items };
}

async function loadVariables(): Promise<string[]> {
  return (await all<{ key: string }>("/variables")).map((variable) => variable.key);
}
