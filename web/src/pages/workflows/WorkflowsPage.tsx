/** The workflows: found by name, tag, folder and state; made, taken in, put away. */

import { FilePlus2, FileUp, FolderPlus, LayoutTemplate, Workflow } from "lucide-react";
import { type DragEvent, useMemo, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { urlPath } from "../../api/address";
import { each } from "../../api/each";
import { useMayChange } from "../../api/session";
import { emptyDocument } from "../../graph/types";
import { useActions } from "../../palette/actions";
import { attempt, Button, confirm, Empty, NothingFits, Page, Problem, Skeleton, toast } from "../../ui";
import { useBulk } from "../ChosenBar";
import { BulkBar } from "./BulkBar";
import {
  changeFolder,
  copyWorkflow,
  createFolder,
  createWorkflow,
  deleteFolder,
  deleteWorkflow,
  loadWorkflow,
  putIntoFolder,
  renameWorkflow,
  setActive,
  setArchived,
  useFolders,
  useWorkflows,
} from "./data";
import { download, fileName } from "./download";
import { Folders } from "./Folders";
import { ImportDialog } from "./ImportDialog";
import { MoveDialog } from "./MoveDialog";
import { NameDialog } from "./NameDialog";
import { type Folder, isSearch, visible, type WorkflowRow } from "./rows";
import { TagsDialog } from "./TagsDialog";
import { useView } from "./useView";
import { WorkflowFilters } from "./WorkflowFilters";
import { type RowActions, WorkflowTable } from "./WorkflowTable";

type Doing =
  | { what: "import"; file?: File }
  | { what: "new folder" }
  | { what: "rename"; row: WorkflowRow }
  | { what: "move" | "tags"; rows: readonly WorkflowRow[] }
  | { what: "rename folder" | "move folder"; folder: Folder };

export default function WorkflowsPage() {
  const mayChange = useMayChange();
  const workflows = useWorkflows();
  const folders = useFolders();
  const [view, change] = useView();
  const [query, setQuery] = useSearchParams();
  const [doing, setDoing] = useState<Doing | null>(null);
  const [, go] = useLocation();
  const rows = workflows.data ?? [];
  const shown = visible(rows, view);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const bulk = useBulk("workflow", () => setChosen(new Set()));
  // What is out of sight is not acted on, whether it was chosen before or not.
  const picked = shown.filter((row) => chosen.has(row.id));
  const allFolders = folders.data?.folders ?? [];
  // What is made here belongs to the project of the open folder.
  const here = {
    projectId: allFolders.find((folder) => folder.id === view.folder)?.projectId ?? view.project,
    folderId: view.folder,
  };
  const hasFolders = folders.data?.known === true;
  useActions(
    useMemo(
      () =>
        hasFolders && mayChange
          ? [
              {
                id: "new-folder",
                label: "New folder",
                icon: FolderPlus,
                group: "This page",
                run: () => setDoing({ what: "new folder" }),
              },
            ]
          : [],
      [hasFolders, mayChange],
    ),
  );
  const close = () => {
    setDoing(null);
    if (query.has("import")) setQuery({}, { replace: true });
  };

  const create = () =>
    attempt(async () => {
      const name = rows.some((row) => row.name === "My workflow") ? `My workflow ${rows.length + 1}` : "My workflow";
      const made = await createWorkflow(emptyDocument(name), here);
      go(urlPath`/workflow/${made.id}`);
    });
  const actions: RowActions = {
    open: (row) => go(urlPath`/workflow/${row.id}`),
    activate: (row, active) => void attempt(() => setActive(row.id, active)),
    rename: (row) => setDoing({ what: "rename", row }),
    move: (row) => setDoing({ what: "move", rows: [row] }),
    tags: (row) => setDoing({ what: "tags", rows: [row] }),
    duplicate: (row) =>
      void attempt(async () => {
        const made = await copyWorkflow(await loadWorkflow(row.id));
        toast({ text: `${made.name} was made`, tone: "good", undo: () => void attempt(() => deleteWorkflow(made.id ?? "")) });
      }),
    exportFile: (row) =>
      void attempt(async () => {
        const { name, nodes, connections, settings, pinData, meta, tags } = await loadWorkflow(row.id);
        download(fileName(name, "json"), JSON.stringify({ name, nodes, connections, settings, pinData, meta, tags }, null, 2));
      }),
    archive: (row) =>
      void attempt(async () => {
        await setArchived(row.id, true);
        toast({
          text: `${row.name} is in the archive${row.active ? " and does not listen any more" : ""}`,
          undo: () => actions.restore(row),
        });
      }),
    restore: (row) =>
      void attempt(async () => {
        await setArchived(row.id, false);
        toast({ text: `${row.name} is back`, tone: "good" });
      }),
    remove: async (row) => {
      const text = "The workflow, its versions and its executions are removed. This cannot be undone.";
      const sure = await confirm({ title: `Delete ${row.name}?`, text, action: "Delete for good", danger: true });
      if (sure && (await attempt(() => deleteWorkflow(row.id)))) toast({ text: `${row.name} was deleted` });
    },
  };
  const removeFolder = async (folder: Folder) => {
    const text = "The folder is removed; the workflows and folders in it move up.";
    const sure = await confirm({ title: `Delete the folder ${folder.name}?`, text, action: "Delete folder", danger: true });
    if (sure) await attempt(() => deleteFolder(folder.id));
  };
  const takeInto = async (ids: readonly string[], folder: Folder | null) => {
    const moved = rows.filter((row) => ids.includes(row.id) && row.folderId !== (folder?.id ?? null));
    if (moved.length === 0) return;
    const before = new Map(moved.map((row) => [row.id, row.folderId]));
    await bulk.act(
      `moved to ${folder?.name ?? "the top"}`,
      [...before.keys()],
      (id) => putIntoFolder(id, folder?.id ?? null),
      (done) => void each(done, (id) => putIntoFolder(id, before.get(id) ?? null)),
    );
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file && mayChange) setDoing({ what: "import", file });
  };

  const buttons = mayChange && (
    <>
      {hasFolders && (
        <Button icon={FolderPlus} onClick={() => setDoing({ what: "new folder" })}>
          New folder
        </Button>
      )}
      <Button icon={FileUp} onClick={() => setDoing({ what: "import" })}>
        Import
      </Button>
      <Button kind="primary" icon={FilePlus2} onClick={create}>
        New workflow
      </Button>
    </>
  );
  const isFiltered = isSearch(view) || view.status !== "all" || view.project !== null;
  const showAll = () => change({ text: "", tags: [], status: "all", project: null });
  const nothing =
    rows.length === 0 ? (
      <Empty
        icon={Workflow}
        title="Build your first workflow"
        text="A workflow starts with a trigger, such as a web request, a schedule or a chat message, and goes on node by node. Begin with an empty one, a template, or one from n8n."
        action={
          mayChange && (
            <>
              <Button kind="primary" icon={FilePlus2} onClick={create}>
                New workflow
              </Button>
              <Button icon={LayoutTemplate} onClick={() => go("/templates")}>
                See templates
              </Button>
            </>
          )
        }
      />
    ) : isFiltered ? (
      <NothingFits text="No workflow has this name, tag, state and project." onClear={showAll} />
    ) : (
      <Empty
        icon={Workflow}
        title="Nothing here yet"
        text="Make a workflow in this folder, or bring one here with Move in its menu."
      />
    );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping a file is a short way to Import, which has a button.
    <div style={{ height: "100%" }} onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <Page title="Workflows" actions={buttons}>
        {picked.length > 0 ? (
          <BulkBar
            picked={picked}
            total={shown.length}
            onAll={() => setChosen(new Set(shown.map((row) => row.id)))}
            onNone={() => setChosen(new Set())}
            onMove={() => setDoing({ what: "move", rows: picked })}
            onTags={() => setDoing({ what: "tags", rows: picked })}
          />
        ) : (
          rows.length > 0 && <WorkflowFilters view={view} onView={change} />
        )}
        {workflows.isPending && <Skeleton lines={8} />}
        {workflows.error && <Problem error={workflows.error} onRetry={() => void workflows.refetch()} />}
        {workflows.isSuccess && (
          <>
            {!isSearch(view) && view.status !== "archived" && (
              <Folders
                folders={allFolders.filter((folder) => view.project === null || folder.projectId === view.project)}
                rows={rows}
                open={view.folder}
                onOpen={(folder) => change({ folder })}
                onRename={(folder) => setDoing({ what: "rename folder", folder })}
                onMove={(folder) => setDoing({ what: "move folder", folder })}
                onDelete={(folder) => void removeFolder(folder)}
                onTake={(ids, folder) => void takeInto(ids, folder)}
              />
            )}
            <WorkflowTable
              rows={shown}
              view={view}
              onView={change}
              actions={actions}
              empty={nothing}
              chosen={chosen}
              onChoose={setChosen}
            />
          </>
        )}
      </Page>
      {(doing?.what === "import" || query.has("import")) && (
        <ImportDialog onClose={close} place={here} dropped={doing?.what === "import" ? doing.file : null} />
      )}
      {doing?.what === "new folder" && (
        <NameDialog
          title="New folder"
          action="Make folder"
          onClose={close}
          onDone={(name) => createFolder(name, view.folder, view.project)}
        />
      )}
      {doing?.what === "rename" && (
        <NameDialog
          title="Rename workflow"
          action="Rename"
          initial={doing.row.name}
          onClose={close}
          onDone={(name) => renameWorkflow(doing.row.id, name)}
        />
      )}
      {doing?.what === "rename folder" && (
        <NameDialog
          title="Rename folder"
          action="Rename"
          initial={doing.folder.name}
          onClose={close}
          onDone={(name) => changeFolder(doing.folder.id, { name })}
        />
      )}
      {doing?.what === "move" && <MoveDialog rows={doing.rows} onClose={close} />}
      {doing?.what === "move folder" && <MoveDialog folder={doing.folder} onClose={close} />}
      {doing?.what === "tags" && <TagsDialog rows={doing.rows} onClose={close} />}
    </div>
  );
}
