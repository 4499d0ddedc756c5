// What can be done with the executions that are chosen.

import { CircleHelp, GitCompareArrows, RotateCcw, Square, StepForward, Trash2 } from "lucide-react";
import { useLocation } from "wouter";
import { useCanEdit } from "../../api/session";
import type { Execution } from "../../api/types";
import { urlPath } from "../../api/url";
import { decideMany } from "../../run/decideMany";
import { deleteExecution, retryExecution, stopExecution } from "../../run/executionActions";
import { SelectionBar, useBulkAction } from "../../shared/SelectionBar";
import { Button, confirm, Menu, plural } from "../../ui";

interface ExecutionBulkBarProps {
  picked: readonly Execution[];
  total: number;
  onAll: () => void;
  onNone: () => void;
}

export function ExecutionBulkBar({ picked, total, onAll, onNone }: ExecutionBulkBarProps) {
  const canEdit = useCanEdit();
  const { busy, act } = useBulkAction("execution", onNone);
  const [, go] = useLocation();
  const ids = (fits: (row: Execution) => boolean) =>
    canEdit ? picked.filter(fits).map((row) => String(row.id)) : [];
  const going = ids((row) => row.status === "running" || row.status === "waiting");
  const failed = ids(
    (row) => row.status === "error" || row.status === "canceled" || row.status === "uncertain",
  );
  const uncertain = ids((row) => row.status === "uncertain");
  const decide = async (decision: "again" | "done") => {
    await decideMany(uncertain.length, { ids: uncertain, decision });
    onNone();
  };
  const over = ids((row) => row.status !== "running" && row.status !== "waiting");
  const drop = async () => {
    const title = `Delete ${plural(over.length, "execution")}?`;
    const text = "Their data and logs will be permanently deleted.";
    if (await confirm({ title, text, action: "Delete", danger: true }))
      await act("deleted", over, deleteExecution);
  };
  const [a, b] = picked;
  return (
    <SelectionBar
      noun="execution"
      count={picked.length}
      total={total}
      onAll={onAll}
      onNone={onNone}
    >
      {picked.length === 2 && a && b && (
        <Button
          size="small"
          icon={GitCompareArrows}
          onClick={() =>
            go(
              urlPath`/compare?a=${Math.min(Number(a.id), Number(b.id))}&b=${Math.max(Number(a.id), Number(b.id))}`,
            )
          }
        >
          Compare
        </Button>
      )}
      {going.length > 0 && (
        <Button
          size="small"
          icon={Square}
          busy={busy === "stopped"}
          onClick={() => void act("stopped", going, stopExecution)}
        >
          Stop {going.length}
        </Button>
      )}
      {uncertain.length > 0 && (
        <Menu
          trigger={
            <Button size="small" icon={CircleHelp}>
              Decide {uncertain.length}
            </Button>
          }
          items={[
            { label: "Repeat the step", icon: RotateCcw, onSelect: () => void decide("again") },
            {
              label: "Mark step as completed",
              icon: StepForward,
              onSelect: () => void decide("done"),
            },
          ]}
        />
      )}
      {failed.length > 0 && (
        <Button
          size="small"
          icon={RotateCcw}
          busy={busy === "retried"}
          onClick={() => void act("retried", failed, (id) => retryExecution(id, "same"))}
        >
          Retry {failed.length}
        </Button>
      )}
      {over.length > 0 && (
        <Button
          size="small"
          kind="danger"
          icon={Trash2}
          busy={busy === "deleted"}
          onClick={() => void drop()}
        >
          Delete {over.length}
        </Button>
      )}
    </SelectionBar>
  );
}
