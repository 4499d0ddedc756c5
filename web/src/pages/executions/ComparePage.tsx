// Two runs node by node: how each step ended, how long it took, how many items it gave, and what differs in them.

import { useQueries, useQuery } from "@tanstack/react-query";
import { ArrowLeftRight, GitCompareArrows } from "lucide-react";
import { useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { api } from "../../api/client";
import type { ExecutionOutline } from "../../api/generated";
import { urlPath } from "../../api/url";
import { fromOutline } from "../../run/outline";
import { fetchItems, itemsKey } from "../../run/runItems";
import type { RunView } from "../../run/runView";
import { EmptyState, ErrorState, IconButton, Page, Skeleton } from "../../ui";
import css from "./Compare.module.css";
import { CompareHeader } from "./CompareHeader";
import { CompareSteps } from "./CompareSteps";
import { OutputDiff } from "./OutputDiff";
import { type ComparedStep, compareRuns } from "./runDiff";

/** Of more steps than this the data is compared only when they are looked at. */
const MAX_COMPARED = 60;

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
    <Page wide>
      <div className={css.heads}>
        <CompareHeader
          side="a"
          id={a}
          view={first.data}
          like={second.data?.workflowId}
          onChoose={(id) => set("a", id)}
        />
        <IconButton
          icon={ArrowLeftRight}
          label="Swap executions"
          onClick={swap}
          disabled={!a || !b}
        />
        <CompareHeader
          side="b"
          id={b}
          view={second.data}
          like={first.data?.workflowId}
          onChoose={(id) => set("b", id)}
        />
      </div>
      {error ? (
        <ErrorState
          error={error}
          onRetry={() => void Promise.all([first.refetch(), second.refetch()])}
        />
      ) : !a || !b ? (
        <EmptyState
          icon={GitCompareArrows}
          title="Select two executions"
          text="Pick two executions of the same workflow, e.g. one that succeeded and one that failed."
        />
      ) : first.data && second.data ? (
        <ComparisonTable key={`${a} ${b}`} a={first.data} b={second.data} />
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
      fromOutline(
        await api.get<ExecutionOutline>(urlPath`/executions/${id}/outline`, undefined, signal),
      ),
    enabled: id !== "",
  });
}

function ComparisonTable({ a, b }: { a: RunView; b: RunView }) {
  const steps = useMemo(() => compareRuns(a, b), [a, b]);
  const judged = useStepData(steps, a.executionId, b.executionId);
  const [chosen, setChosen] = useState<string | null>(null);
  const current =
    judged.find((step) => stepKey(step) === chosen) ??
    judged.find((step) => step.isShape) ??
    judged.find((step) => step.verdict !== "same") ??
    judged[0];
  if (!current)
    return (
      <EmptyState
        icon={GitCompareArrows}
        title="No steps to compare"
        text="Both executions ended before their first step."
      />
    );
  return (
    <div className={css.compared}>
      <CompareSteps steps={judged} chosen={stepKey(current)} onChoose={setChosen} />
      <OutputDiff key={stepKey(current)} step={current} a={a.executionId} b={b.executionId} />
    </div>
  );
}

export function stepKey(step: ComparedStep): string {
  return `${step.node}\n${step.runIndex}`;
}

/** Steps that look the same are compared by the items they gave. */
function useStepData(steps: readonly ComparedStep[], a: string, b: string): ComparedStep[] {
  const same = steps.filter((step) => step.verdict === "same").slice(0, MAX_COMPARED);
  const answers = useQueries({
    queries: same.flatMap((step) =>
      [a, b].map((executionId) => {
        const options = {
          executionId,
          node: step.node,
          run: step.runIndex,
          kind: stepKind(step),
          output: filledOutput(step),
        };
        return {
          queryKey: itemsKey(options),
          queryFn: () => fetchItems(options),
          staleTime: Number.POSITIVE_INFINITY,
        };
      }),
    ),
  });
  const differing = new Set<ComparedStep>();
  for (const [at, step] of same.entries()) {
    const [one, other] = [answers[at * 2]?.data, answers[at * 2 + 1]?.data];
    if (one && other && text(one.items) !== text(other.items)) differing.add(step);
  }
  return steps.map((step) =>
    differing.has(step) ? { ...step, verdict: "changed" as const } : step,
  );
}

/** Along which connection a step gave its data: what served another node did not give it on `main`. */
export function stepKind(step: ComparedStep): string {
  return (step.a ?? step.b)?.served?.kind ?? "main";
}

/** The first output that has anything in it. */
export function filledOutput(step: ComparedStep): number {
  return (
    [...(step.a?.outputs ?? []), ...(step.b?.outputs ?? [])].find(
      (output) => output.kind === stepKind(step) && output.items > 0,
    )?.index ?? 0
  );
}

function text(items: readonly { json?: unknown; preview?: string }[]): string {
  return JSON.stringify(items.map((item) => item.preview ?? item.json));
}
