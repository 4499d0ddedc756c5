// What can be done with the executions that are chosen.

import { GitCompareArrows, RotateCcw, Square, Trash2 } from "lucide-react";
import { useLocation } from "wouter";
import { urlPath } from "../../api/address";
import { useMayChange } from "../../api/session";
import type { Execution } from "../../api/types";
import { remove, retry, stop } from "../../run/execution";
import { Button, confirm, plural } from "../../ui";
import { ChosenBar, useBulk } from "../ChosenBar";

interface BulkBarProps {
  picked: readonly Execution[];
  total: number;
  onAll: () => void;
  onNone: () => void;
}

export function BulkBar({ picked, total, onAll, onNone }: BulkBarProps) {
  const mayChange = useMayChange();
  const { busy, act } = useBulk("execution", onNone);
  const [, go] = useLocation();
  const ids = (fits: (row: Execution) => boolean) => (mayChange ? picked.filter(fits).map((row) => String(row.id)) : []);
  const going = ids((row) => row.status === "running" || row.status === "waiting");
  const failed = ids((row) => row.status === "error" || row.status === "canceled" || row.status === "uncertain");
  const over = ids((row) => row.status !== "running" && row.status !== "waiting");
  const drop = async () => {
    const title = `Delete ${plural(over.length, "execution")}?`;
    const text = "Their data and logs are gone for good.";
    if (await confirm({ title, text, action: "Delete", danger: true })) await act("deleted", over, remove);
  };
  const [a, b] = picked;
  return (
    <ChosenBar noun="execution" count={picked.length} total={total} onAll={onAll} onNone={onNone}>
      {picked.length === 2 && a && b && (
        <Button
          size="small"
          icon={GitCompareArrows}
          onClick={() =>
            go(urlPath`/compare?a=${Math.min(Number(a.id), Number(b.id))}&b=${Math.max(Number(a.id), Number(b.id))}`)
          }
        >
          Compare
        </Button>
      )}
      {going.length > 0 && (
        <Button size="small" icon={Square} busy={busy === "stopped"} onClick={() => void act("stopped", going, stop)}>
          Stop {going.length}
        </Button>
      )}
      {failed.length > 0 && (
        <Button
          size="small"
          icon={RotateCcw}
          busy={busy === "begun again"}
          onClick={() => void act("begun again", failed, (id) => retry(id, "same"))}
        >
          Run {failed.length} again
        </Button>
      )}
      {over.length > 0 && (
        <Button size="small" kind="danger" icon={Trash2} busy={busy === "deleted"} onClick={() => void drop()}>
          Delete {over.length}
        </Button>
      )}
    </ChosenBar>
  );
}
