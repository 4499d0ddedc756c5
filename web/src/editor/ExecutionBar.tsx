// The bar over a canvas that shows an execution: which it is and how it ended, and what can be done with it.

import {
  Copy,
  GitCompareArrows,
  GitFork,
  History,
  Pencil,
  RotateCcw,
  Square,
  X,
} from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useCanEdit } from "../api/session";
import { urlPath } from "../api/url";
import {
  fetchExecutedWorkflow,
  forkExecution,
  retryExecution,
  stopExecution,
  useExecution,
} from "../run/executionActions";
import { ForkDialog, listForkSteps } from "../run/ForkDialog";
import { elapsed, isOver, type RunView } from "../run/runView";
import { useNow } from "../run/useNow";
import { useEditor } from "../store/editorStore";
import {
  Badge,
  Button,
  duration,
  IconButton,
  Menu,
  type MenuItem,
  Money,
  StatusMark,
  Time,
  toast,
  tryAction,
  useAsyncAction,
} from "../ui";
import { prepareCopy } from "./copyToEditor";
import css from "./ExecutionBar.module.css";

export function ExecutionBar({ id: executionId }: { id: string }) {
  const run = useEditor((state) => state.run);
  const view = run?.executionId === executionId ? run : null;
  const { data: row } = useExecution(executionId);
  const [, go] = useLocation();
  const now = useNow(view !== null && !isOver(view));
  const workflowId = view?.workflowId ?? row?.workflowId ?? "";
  const back = urlPath`/workflow/${workflowId}`;
  return (
    <section className={css.bar} aria-label={`Execution ${executionId}`}>
      <History size={16} aria-hidden />
      <b>Execution {executionId}</b>
      {(view ?? row) && <StatusMark status={view?.status ?? row?.status ?? "unknown"} />}
      {view && <span className={css.time}>{duration(elapsed(view, now))}</span>}
      {view && (
        <span className={css.quiet}>
          <Time at={view.startedAt} />
        </span>
      )}
      {view && view.spent.length > 0 && (
        <span className={css.quiet}>
          <Money dollars={view.spent.reduce((sum, spent) => sum + (spent.dollars ?? 0), 0)} />
        </span>
      )}
      {row?.retryOf && <Badge>Retry of {row.retryOf}</Badge>}
      <span className={css.space} />
      {view && (
        <Actions
          view={view}
          before={row?.retryOf ?? undefined}
          onOpen={(id) => go(`${back}/executions/${id}`)}
          onCopied={() => go(back)}
        />
      )}
      <IconButton icon={X} label="Back to editor" onClick={() => go(back)} />
    </section>
  );
}

interface ActionsProps {
  view: RunView;
  /** The run that this one repeats: what it is compared with unless another is chosen. */
  before?: string | number;
  onOpen: (executionId: string) => void;
  onCopied: () => void;
}

function Actions({ view, before, onOpen, onCopied }: ActionsProps) {
  const canEdit = useCanEdit();
  const [isForking, setForking] = useState(false);
  const task = useAsyncAction();
  const [, go] = useLocation();
  const { executionId: id, status } = view;
  const take = (act: () => Promise<{ id: string | number }>) =>
    task.run(() => tryAction(async () => onOpen(String((await act()).id))));
  const copy = () =>
    tryAction(async () => {
      await prepareCopy(await fetchExecutedWorkflow(id), view);
      onCopied();
      toast({
        text: `Copied the workflow of execution ${id} to the canvas and pinned its input data.`,
      });
    });
  const first = listForkSteps(view)[0]?.value;
  const canRetry = status === "error" || status === "canceled" || status === "uncertain";
  const menu: MenuItem[] = [
    ...(canRetry
      ? [
          {
            label: "Retry with original workflow",
            icon: RotateCcw,
            onSelect: () => void take(() => retryExecution(id, "same")),
          },
          {
            label: "Retry with current workflow",
            icon: Pencil,
            onSelect: () => void take(() => retryExecution(id, "newest")),
          },
        ]
      : []),
    {
      label: "Replay from the start",
      icon: RotateCcw,
      disabled: !first,
      onSelect: () => first && void take(() => forkExecution(id, first)),
    },
    {
      label: "Fork from a step…",
      icon: GitFork,
      disabled: !first,
      onSelect: () => setForking(true),
    },
  ];
  return (
    <div className={css.actions}>
      {canEdit && !isOver(view) && (
        <Button size="small" icon={Square} onClick={() => void tryAction(() => stopExecution(id))}>
          Stop
        </Button>
      )}
      {canEdit && isOver(view) && (
        <Menu
          trigger={
            <Button size="small" icon={RotateCcw} busy={task.busy}>
              Run again
            </Button>
          }
          items={menu}
        />
      )}
      <Button
        size="small"
        icon={GitCompareArrows}
        onClick={() =>
          go(before ? urlPath`/compare?a=${before}&b=${id}` : urlPath`/compare?a=${id}`)
        }
      >
        Compare
      </Button>
      {canEdit && (
        <Button size="small" icon={Copy} onClick={() => void copy()}>
          Copy to editor
        </Button>
      )}
      <ForkDialog
        open={isForking}
        onClose={() => setForking(false)}
        view={view}
        onForked={onOpen}
      />
    </div>
  );
}
