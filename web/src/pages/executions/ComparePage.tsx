// Two runs node by node: how each step ended, how long it took, how many items it gave, and what differs in them.

import { useQueries, useQuery } from "@tanstack/react-query";
import { ArrowLeftRight, GitCompareArrows } from "lucide-react";
import { useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { urlPath } from "../../api/address";
import { api } from "../../api/client";
import type { ExecutionOutline } from "../../api/generated";
import { fetchItems, itemsKey } from "../../run/items";
import { fromOutline } from "../../run/outline";
import type { RunView } from "../../run/view";
import { Empty, IconButton, Page, Problem, Skeleton } from "../../ui";
import css from "./Compare.module.css";
import { CompareHead } from "./CompareHead";
import { CompareSteps } from "./CompareSteps";
import { type ComparedStep, compareRuns } from "./diff";
import { OutputDiff } from "./OutputDiff";

/** Of more steps than this the data is compared only when they are looked at. */
const COMPARED_AT_ONCE = 60;

export default function ComparePage() {
  const [params, setParams] = useSearchParams();
  const [a, b] = [params.get("a") ?? "", params.get("b") ?? ""];
  const set = (side: "a" | "b", id: string) => {
    const next = new URLSearchParams(params);
    next.set(side, id);
    setParams(next, { replace: true });
  };
  const swap = () => setParams(new URLSearchParams({ a: b, b: a }), { replace: true });
  const first = useOutline(a);
  const second = useOutline(b);
  const error = first.error ?? second.error;
  return (
    <Page title="Compare executions" wide>
      <div className={css.heads}>
        <CompareHead side="a" id={a} view={first.data} like={second.data?.workflowId} onChoose={(id) => set("a", id)} />
        <IconButton icon={ArrowLeftRight} label="Swap the two" onClick={swap} disabled={!a || !b} />
        <CompareHead side="b" id={b} view={second.data} like={first.data?.workflowId} onChoose={(id) => set("b", id)} />
      </div>
      {error ? (
        <Problem error={error} onRetry={() => void Promise.all([first.refetch(), second.refetch()])} />
      ) : !a || !b ? (
        <Empty
          icon={GitCompareArrows}
          title="Choose two executions"
          text="Best two of the same workflow: one that went well and one that did not."
        />
      ) : first.data && second.data ? (
        <Compared key={`${a} ${b}`} a={first.data} b={second.data} />
      ) : (
        <Skeleton lines={8} />
      )}
    </Page>
  );
}

function useOutline(id: string) {
  return useQuery({
    queryKey: ["outline", id],
    queryFn: async ({ signal }) =>
      fromOutline(await api.get<ExecutionOutline>(urlPath`/executions/${id}/outline`, undefined, signal)),
    enabled: id !== "",
  });
}

function Compared({ a, b }: { a: RunView; b: RunView }) {
  const steps = useMemo(() => compareRuns(a, b), [a, b]);
  const judged = useData(steps, a.executionId, b.executionId);
  const [chosen, setChosen] = useState<string | null>(null);
  const current =
    judged.find((step) => keyOf(step) === chosen) ??
    judged.find((step) => step.isShape) ??
    judged.find((step) => step.verdict !== "same") ??
    judged[0];
  if (!current) return <Empty icon={GitCompareArrows} title="Neither did a step" text="Both ended before their first step." />;
  return (
    <div className={css.compared}>
      <CompareSteps steps={judged} chosen={keyOf(current)} onChoose={setChosen} />
      <OutputDiff key={keyOf(current)} step={current} a={a.executionId} b={b.executionId} />
    </div>
  );
}

export function keyOf(step: ComparedStep): string {
  return `${step.node}\n${step.runIndex}`;
}

/** Steps that look the same are compared by the items they gave. */
function useData(steps: readonly ComparedStep[], a: string, b: string): ComparedStep[] {
  const same = steps.filter((step) => step.verdict === "same").slice(0, COMPARED_AT_ONCE);
  const answers = useQueries({
    queries: same.flatMap((step) =>
      [a, b].map((executionId) => {
        const options = { executionId, node: step.node, run: step.runIndex, kind: kindOf(step), output: filled(step) };
        return { queryKey: itemsKey(options), queryFn: () => fetchItems(options), staleTime: Number.POSITIVE_INFINITY };
      }),
    ),
  });
  const differing = new Set<ComparedStep>();
  for (const [at, step] of same.entries()) {
    const [one, other] = [answers[at * 2]?.data, answers[at * 2 + 1]?.data];
    if (one && other && text(one.items) !== text(other.items)) differing.add(step);
  }
  return steps.map((step) => (differing.has(step) ? { ...step, verdict: "changed" as const } : step));
}

/** Along which connection a step gave its data: what served another node did not give it on `main`. */
export function kindOf(step: ComparedStep): string {
  return (step.a ?? step.b)?.served?.kind ?? "main";
}

/** The first output that has anything in it. */
export function filled(step: ComparedStep): number {
  return (
    [...(step.a?.outputs ?? []), ...(step.b?.outputs ?? [])].find((output) => output.kind === kindOf(step) && output.items > 0)
      ?.index ?? 0
  );
}

function text(items: readonly { json?: unknown; preview?: string }[]): string {
  return JSON.stringify(items.map((item) => item.preview ?? item.json));
}
