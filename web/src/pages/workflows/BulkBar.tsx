/** What can be done with the workflows that are chosen. */
import { Archive, ArchiveRestore, FolderInput, Pause, Play, Tags, Trash2 } from "lucide-react";
import { each } from "../../api/each";
import { Button, confirm, plural } from "../../ui";
import { ChosenBar, useBulk } from "../ChosenBar";
import { deleteWorkflow, setActive, setArchived } from "./data";
import type { WorkflowRow } from "./rows";
import { canBeActive } from "./starts";

interface BulkBarProps {
  picked: readonly WorkflowRow[];
  total: number;
  onAll: () => void;
  onNone: () => void;
  onMove: () => void;
  onTags: () => void;
}

export function BulkBar({ picked, total, onAll, onNone, onMove, onTags }: BulkBarProps) {
  const { busy, act } = useBulk("workflow", onNone);
  const ids = (fits: (row: WorkflowRow) => boolean) => picked.filter(fits).map((row) => row.id);
  const archived = ids((row) => row.archived);
  const present = ids((row) => !row.archived);
  const canStart = ids((row) => !row.archived && !row.active && canBeActive(row.triggers));
  const canStop = ids((row) => row.active);
  const archive = () => {
    const listened = new Set(canStop);
    const back = async (done: readonly string[]) => {
      await each(done, (id) => setArchived(id, false));
      // What listened before it was put away listens again.
      await each(
        done.filter((id) => listened.has(id)),
        (id) => setActive(id, true),
      );
    };
    void act(
      "archived",
      present,
      (id) => setArchived(id, true),
      (done) => void back(done),
    );
  };
  const drop = async () => {
    const title = `Delete ${plural(archived.length, "workflow")}?`;
    const text = "The workflows, their versions and their executions are removed. This cannot be undone.";
    const sure = await confirm({ title, text, action: "Delete for good", danger: true });
    if (sure) await act("deleted", archived, deleteWorkflow);
  };
  return (
    <ChosenBar noun="workflow" count={picked.length} total={total} onAll={onAll} onNone={onNone}>
      {canStart.length > 0 && (
        <Button
          size="small"
          icon={Play}
          busy={busy === "listening"}
          onClick={() => void act("listening", canStart, (id) => setActive(id, true))}
        >
          Activate {canStart.length}
        </Button>
      )}
      {canStop.length > 0 && (
        <Button
          size="small"
          icon={Pause}
          busy={busy === "deactivated"}
          onClick={() => void act("deactivated", canStop, (id) => setActive(id, false))}
        >
          Deactivate {canStop.length}
        </Button>
      )}
      {present.length > 0 && (
        <>
          <Button size="small" icon={Tags} onClick={onTags}>
            Tags
          </Button>
          <Button size="small" icon={FolderInput} onClick={onMove}>
            Move
          </Button>
          <Button size="small" icon={Archive} busy={busy === "archived"} onClick={archive}>
            Archive {present.length}
          </Button>
        </>
      )}
      {archived.length > 0 && (
        <>
          <Button
            size="small"
            icon={ArchiveRestore}
            busy={busy === "taken out of the archive"}
            onClick={() => void act("taken out of the archive", archived, (id) => setArchived(id, false))}
          >
            Take out {archived.length}
          </Button>
          <Button size="small" kind="danger" icon={Trash2} busy={busy === "deleted"} onClick={() => void drop()}>
            Delete {archived.length}
          </Button>
        </>
      )}
    </ChosenBar>
  );
}
