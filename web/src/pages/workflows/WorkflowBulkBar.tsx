/** What can be done with the workflows that are chosen. */
import { Archive, ArchiveRestore, FolderInput, Pause, Play, Tags, Trash2 } from "lucide-react";
import { runBulk } from "../../api/bulk";
import { useCatalogue } from "../../api/catalogue";
import { SelectionBar, useBulkAction } from "../../shared/SelectionBar";
import { Button, confirm, plural } from "../../ui";
import { deleteWorkflow, setActive, setArchived } from "../../workflows/workflowApi";
import type { WorkflowRow } from "../../workflows/workflowRows";
import { canActivate } from "./triggerLabels";

interface WorkflowBulkBarProps {
  picked: readonly WorkflowRow[];
  total: number;
  onAll: () => void;
  onNone: () => void;
  onMove: () => void;
  onTags: () => void;
}

export function WorkflowBulkBar({
  picked,
  total,
  onAll,
  onNone,
  onMove,
  onTags,
}: WorkflowBulkBarProps) {
  const catalogue = useCatalogue();
  const { busy, act } = useBulkAction("workflow", onNone);
  const ids = (fits: (row: WorkflowRow) => boolean) => picked.filter(fits).map((row) => row.id);
  const archived = ids((row) => row.archived);
  const present = ids((row) => !row.archived);
  const canStart = ids((row) => !row.archived && !row.active && canActivate(row.types, catalogue));
  const canStop = ids((row) => row.active);
  const archive = () => {
    const listened = new Set(canStop);
    const back = async (done: readonly string[]) => {
      await runBulk(done, (id) => setArchived(id, false));
      // What listened before it was put away listens again.
      await runBulk(
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
    const text =
      "The workflows, their versions and their executions will be deleted. This cannot be undone.";
    const sure = await confirm({ title, text, action: "Delete permanently", danger: true });
    if (sure) await act("deleted", archived, deleteWorkflow);
  };
  return (
    <SelectionBar noun="workflow" count={picked.length} total={total} onAll={onAll} onNone={onNone}>
      {canStart.length > 0 && (
        <Button
          size="small"
          icon={Play}
          busy={busy === "activated"}
          onClick={() => void act("activated", canStart, (id) => setActive(id, true))}
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
            busy={busy === "unarchived"}
            onClick={() => void act("unarchived", archived, (id) => setArchived(id, false))}
          >
            Unarchive {archived.length}
          </Button>
          <Button
            size="small"
            kind="danger"
            icon={Trash2}
            busy={busy === "deleted"}
            onClick={() => void drop()}
          >
            Delete {archived.length}
          </Button>
        </>
      )}
    </SelectionBar>
  );
}
