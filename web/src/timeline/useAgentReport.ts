// The report of one run of an agent, read again as it grows.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api } from "../api/client";
import { urlPath } from "../api/url";
import { recordedName } from "../run/recordedNames";
import type { RunView } from "../run/runView";
import type { AgentReport } from "./agentReport";
import { parseReport } from "./parseReport";

export interface AgentRunId {
  executionId: string | null | undefined;
  node: string | null;
  run: number;
  /** Grows with each step the agent has noted, so that the report is read anew. */
  version: string;
}

export function useAgentReport({ executionId, node, run, version }: AgentRunId) {
  return useQuery({
    queryKey: ["agent", executionId, node && recordedName(executionId, node), run, version],
    queryFn: ({ signal }) => fetchReport(executionId ?? "", node ?? "", run, signal),
    enabled: Boolean(executionId && node),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export async function fetchReport(
  executionId: string,
  node: string,
  run: number,
  signal?: AbortSignal,
): Promise<AgentReport> {
  return parseReport(
    await api.get(
      urlPath`/executions/${executionId}/agent`,
      { node: recordedName(executionId, node), run },
      signal,
    ),
  );
}

/** The nodes of a run that are agents: those that a model served, in the order they began. */
export function listAgents(view: RunView): string[] {
  const asked = new Set<string>();
  for (const runs of view.nodes.values()) {
    for (const { served } of runs) if (served?.kind === "ai_languageModel") asked.add(served.above);
  }
  // One that waits for its model's first word is already known by the steps it notes and the words it says.
  for (const [name, runs] of view.nodes)
    if (runs.some((run) => run.notes > 0 && !run.served)) asked.add(name);
  for (const name of view.answers.keys()) asked.add(name);
  const begun = (name: string) => view.nodes.get(name)?.[0]?.order ?? Number.POSITIVE_INFINITY;
  return [...asked].filter((name) => view.nodes.has(name)).sort((a, b) => begun(a) - begun(b));
}

/** What a query about a run of an agent depends on while that run goes on. */
export function agentRunVersion(view: RunView, node: string, run: number): string {
  const found = view.nodes.get(node)?.find((one) => one.runIndex === run);
  return found ? `${found.status} ${found.notes}` : "";
}

/** The run of the model's node that gave the nth answer of an agent: where its exact request and answer are kept. */
export function findModelRun(
  view: RunView,
  agent: string,
  run: number,
  nth: number,
): { node: string; run: number } | null {
  const runs = view.nodes.get(agent) ?? [];
  const from = runs.find((one) => one.runIndex === run)?.order ?? 0;
  const until = runs.find((one) => one.runIndex === run + 1)?.order ?? Number.POSITIVE_INFINITY;
  const calls: { node: string; run: number; order: number }[] = [];
  for (const [node, all] of view.nodes) {
    for (const one of all) {
      const { served, order, status } = one;
      if (served?.kind !== "ai_languageModel" || served.above !== agent || status !== "success")
        continue;
      const isIts = served.run === undefined ? order >= from && order < until : served.run === run;
      if (isIts) calls.push({ node, run: one.runIndex, order });
    }
  }
  calls.sort((a, b) => a.order - b.order);
  const found = calls[nth];
  return found ? { node: found.node, run: found.run } : null;
}
