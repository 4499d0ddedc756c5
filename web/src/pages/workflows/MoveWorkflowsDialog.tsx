/** Puts workflows or a folder into another folder, or workflows into another project. */
import { useState } from "react";
import { useProjects } from "../../api/projects";
import layout from "../../shared/layout.module.css";
import { ProjectField } from "../../shared/ProjectField";
import { Field, FormDialog, plural, Select } from "../../ui";
import { listMoveTargets } from "../../workflows/folderTree";
import { moveToFolder, moveToProject, updateFolder, useFolders } from "../../workflows/workflowApi";
import type { FolderRow, WorkflowRow } from "../../workflows/workflowRows";

type Props = { onClose: () => void } & (
  | { rows: readonly WorkflowRow[]; folder?: never }
  | { folder: FolderRow; rows?: never }
);

/** Stands for the top in the list, which has texts only. */
const TOP = "-";

export function MoveWorkflowsDialog({ rows = [], folder, onClose }: Props) {
  const folders = useFolders();
  const projects = useProjects();
  const [place, setPlace] = useState(shared(rows, "folderId") ?? folder?.parentId ?? TOP);
  const [project, setProject] = useState(shared(rows, "projectId") ?? undefined);
  // Folders belong to a project; only those of the one it goes to can be chosen.
  const home = folder?.projectId ?? project ?? null;
  const near = (folders.data?.folders ?? []).filter((one) => one.projectId === home);
  const options = listMoveTargets(near, folder?.id ?? null).map((one) => ({
    value: one.id ?? TOP,
    label: `${"\u00a0\u00a0\u00a0".repeat(one.depth)}${one.name}`,
  }));
  const move = async () => {
    const target = place === TOP ? null : place;
    if (folder) await updateFolder(folder.id, { parentId: target });
    for (const row of rows) {
      const isElsewhere = project !== undefined && project !== row.projectId;
      if (isElsewhere) await moveToProject(row.id, project);
      if (folders.data?.known && (isElsewhere || target !== row.folderId))
        await moveToFolder(row.id, target);
    }
  };
  const title =
    folder?.name ?? (rows.length === 1 ? rows[0]?.name : plural(rows.length, "workflow"));
  return (
    <FormDialog
      title={`Move ${title}`}
      size="small"
      action="Move"
      onSubmit={move}
      onClose={onClose}
    >
      {folders.data?.known && (
        <Field label="Folder">
          <Select label="Folder" value={place} onChange={setPlace} options={options} />
        </Field>
      )}
      {!folder && (
        <ProjectField
          value={project}
          onChange={(id) => {
            setProject(id);
            setPlace(TOP);
          }}
          hint="Share the credentials with the project first."
          placeholder="Current project"
        />
      )}
      {!folders.data?.known && (projects.data?.length ?? 0) <= 1 && (
        <p className={layout.quiet}>No other projects yet. Create one in Settings.</p>
      )}
    </FormDialog>
  );
}

/** Where all of them are; nothing if they are in different places. */
function shared(rows: readonly WorkflowRow[], place: "folderId" | "projectId"): string | null {
  const [first] = rows;
  return first && rows.every((row) => row[place] === first[place]) ? first[place] : null;
}
