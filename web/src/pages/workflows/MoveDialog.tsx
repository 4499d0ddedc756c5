/** Puts workflows or a folder into another folder, or workflows into another project. */
import { useState } from "react";
import { Button, Dialog, Field, Problem, plural, Select, useTask } from "../../ui";
import layout from "../layout.module.css";
import { useProjects } from "../settings/projectData";
import { changeFolder, moveToProject, putIntoFolder, useFolders } from "./data";
import { places } from "./folderTree";
import type { Folder, WorkflowRow } from "./rows";

type Props = { onClose: () => void } & ({ rows: readonly WorkflowRow[]; folder?: never } | { folder: Folder; rows?: never });

/** Stands for the top in the list, which has texts only. */
const TOP = "-";

export function MoveDialog({ rows = [], folder, onClose }: Props) {
  const folders = useFolders();
  const projects = useProjects();
  const [place, setPlace] = useState(shared(rows, "folderId") ?? folder?.parentId ?? TOP);
  const [project, setProject] = useState(shared(rows, "projectId") ?? undefined);
  const task = useTask();
  // Folders belong to a project; only those of the one it goes to can be chosen.
  const home = folder?.projectId ?? project ?? null;
  const near = (folders.data?.folders ?? []).filter((one) => one.projectId === home);
  const options = places(near, folder?.id ?? null).map((one) => ({
    value: one.id ?? TOP,
    label: `${"\u00a0\u00a0\u00a0".repeat(one.depth)}${one.name}`,
  }));
  const move = async () => {
    const target = place === TOP ? null : place;
    const done = await task.run(async () => {
      if (folder) return changeFolder(folder.id, { parentId: target });
      for (const row of rows) {
        const isElsewhere = project !== undefined && project !== row.projectId;
        if (isElsewhere) await moveToProject(row.id, project);
        if (folders.data?.known && (isElsewhere || target !== row.folderId)) await putIntoFolder(row.id, target);
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
          <Field label="Project" hint="The credentials must be usable there: share them with the project first.">
            <Select
              label="Project"
              value={project}
              onChange={(id) => {
                setProject(id);
                setPlace(TOP);
              }}
              placeholder={rows.length > 1 ? "Where they are now" : "Where it is now"}
              options={(projects.data ?? []).map((one) => ({ value: one.id, label: one.name }))}
            />
          </Field>
        )}
        {!folders.data?.known && (projects.data?.length ?? 0) <= 1 && (
          <p className={layout.quiet}>There is no other project yet. Make one under Settings.</p>
        )}
        {Boolean(task.error) && <Problem error={task.error} />}
      </div>
    </Dialog>
  );
}

/** Where all of them are; nothing if they are in different places. */
function shared(rows: readonly WorkflowRow[], place: "folderId" | "projectId"): string | null {
  const [first] = rows;
  return first && rows.every((row) => row[place] === first[place]) ? first[place] : null;
}
