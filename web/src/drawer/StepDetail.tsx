// One step in full: its error, what it logged, and the first items that went in and came out.

import { Route, SquareArrowOutUpRight } from "lucide-react";
import { useState } from "react";
import { JsonBlock } from "../run/JsonBlock";
import { RunProblem } from "../run/RunProblem";
import { useItems } from "../run/runItems";
import { useDrawer } from "../store/drawerStore";
import { Button, count, duration, ErrorState, exactTime, Skeleton, Tabs } from "../ui";
import css from "./LogsTab.module.css";
import type { LogStep } from "./logTree";

const MAX_ITEMS_SHOWN = 3;

interface StepDetailProps {
  step: LogStep;
  executionId: string;
  onOpen: () => void;
}

export function StepDetail({ step, executionId, onOpen }: StepDetailProps) {
  const { node, run } = step;
  const [side, setSide] = useState<"output" | "input">("output");
  const showAgent = useDrawer((state) => state.showAgent);
  const isAgent = step.children.some((child) => child.run.served?.kind === "ai_languageModel");
  return (
    <div className={css.detail}>
      <header className={css.detailHead}>
        <div>
          <h3>{node}</h3>
          <p>
            {exactTime(new Date(run.startedMs))} · {duration(run.durationMs)}
          </p>
        </div>
        {isAgent && (
          <Button size="small" kind="quiet" icon={Route} onClick={() => showAgent(node)}>
            Timeline
          </Button>
        )}
        <Button size="small" kind="quiet" icon={SquareArrowOutUpRight} onClick={onOpen}>
          Open node
        </Button>
      </header>
      {run.error && <RunProblem error={run.error} />}
      {run.hints.map((hint) => (
        <p key={hint} className={css.hint}>
          {hint}
        </p>
      ))}
      {run.lines.length > 0 && (
        <section>
          <h4>Log</h4>
          <pre className={css.lines}>{run.lines.join("\n")}</pre>
        </section>
      )}
      {run.status !== "running" && (
        <>
          <Tabs
            label="Step data"
            value={side}
            onChange={(id) => setSide(id as "output" | "input")}
            tabs={[
              { id: "input", label: "Input" },
              { id: "output", label: "Output" },
            ]}
          />
          <StepItems step={step} executionId={executionId} direction={side} />
        </>
      )}
    </div>
  );
}

function StepItems({
  step,
  executionId,
  direction,
}: {
  step: LogStep;
  executionId: string;
  direction: "input" | "output";
}) {
  const { node, run } = step;
  const filled = run.outputs.find((output) => output.items > 0);
  const kind = run.served?.kind ?? "main";
  const output = direction === "output" ? (filled?.index ?? 0) : 0;
  const { data, error, refetch, isLoading } = useItems({
    executionId,
    node,
    run: run.runIndex,
    kind,
    output,
    direction,
    limit: MAX_ITEMS_SHOWN,
  });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (isLoading || !data) return <Skeleton lines={4} />;
  if (data.items.length === 0)
    return <p className={css.quiet}>{direction === "input" ? "No input." : "No output."}</p>;
  return (
    <div className={css.data}>
      {data.items.map((item, index) => (
        <JsonBlock key={index} value={item.preview ?? item.json} label={`item ${index}`} />
      ))}
      {data.total > data.items.length && (
        <p className={css.quiet}>
          {count(data.total - data.items.length)} more. Open the node to see all.
        </p>
      )}
    </div>
  );
}
