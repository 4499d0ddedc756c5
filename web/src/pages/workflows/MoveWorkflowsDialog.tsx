/** Puts workflows or a folder into another folder, or workflows into another project. */
import { useState } from "react";
import { Button, Dialog, ErrorState, Field, plural, Select, useAsyncAction } from "../../ui";
import layout from "../layout.module.css";
import { useProjects } from "../settings/projectApi";
import { listMoveTargets } from "./folderTree";
import { moveToFolder, moveToProject, updateFolder, useFolders } from "./workflowApi";
import type { FolderRow, WorkflowRow } from "./workflowRows";

type Props = { onClose: () => void } & ({ rows: readonly WorkflowRow[]; folder?: never } | { folder: FolderRow; rows?: never });

/** Stands for the top in the list, which has texts only. */
const TOP = "-";

export function MoveWorkflowsDialog({ rows = [], folder, onClose }: Props) {
  const folders = useFolders();
  const projects = useProjects();
  const [place, setPlace] = useState(shared(rows, "folderId") ?? folder?.parentId ?? TOP);
  const [project, setProject] = useState(shared(rows, "projectId") ?? undefined);
  const task = useAsyncAction();
  // Folders belong to a project; only those of the one it goes to can be chosen.
  const home = folder?.projectId ?? project ?? null;
  const near = (folders.data?.folders ?? []).filter((one) => one.projectId === home);
  const options = listMoveTargets(near, folder?.id ?? null).map((one) => ({
    value: one.id ?? TOP,
    label: `${"\u00a0\u00a0\u00a0".repeat(one.depth)}${one.name}`,
  }));
  const move = async () => {
    const target = place === TOP ? null : place;
    const done = await task.run(async () => {
      if (folder) return updateFolder(folder.id, { parentId: target });
      for (const row of rows) {
        const isElsewhere = project !== undefined && project !== row.projectId;
        if (isElsewhere) await moveToProject(row.id, project);
        if (folders.data?.known && (isElsewhere || target !== row.folderId)) await moveToFolder(row.id, target);
      }
    });
    if (done) onClose();
  };
  const title = folder?.name ?? (rows.length === 1 ? rows[0]?.name : plural(rows.length, "workflow"));
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={task.busy} onClick={move}>
        Move
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title={`Move ${title}`} size="small" footer={footer}>
      <div className={layout.stack}>
        {folders.data?.known && (
          <Field label="Folder">
            <Select label="Folder" value={place} onChange={setPlace} options={options} />
          </Field>
        )}
        {!folder && (projects.data?.length ?? 0) > 1 && (
          <Field label="Project" hint="Share the credentials with the project first.">
            <Select
              label="Project"
              value={project}
              onChange={(id) => {
                setProject(id);
                setPlace(TOP);
              }}
              placeholder="Current project"
              options={(projects.data ?? []).map((one) => ({ value: one.id, label: one.name }))}
            />
          </Field>
        )}
        {!folders.data?.known && (projects.data?.length ?? 0) <= 1 && (
          <p className={layout.quiet}>No other projects yet. Create one in Settings.</p>
        )}
        {Boolean(task.error) && <ErrorState error={task.error} />}
      </div>
    </Dialog>
  );
}

/** Where all of them are; nothing if they are in different places. */
function shared(rows: readonly WorkflowRow[], place: "folderId" | "projectId"): string | null {
  const [first] = rows;
  return first && rows.every((row) => row[place] === first[place]) ? first[place] : null;
}
