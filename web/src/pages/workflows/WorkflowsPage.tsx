/** The workflows: found by name, tag, folder and state; made, taken in, put away. */

import { FilePlus2, FileUp, FolderPlus, LayoutTemplate, Workflow } from "lucide-react";
import { type DragEvent, useMemo, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { runBulk } from "../../api/bulk";
import { useCanEdit } from "../../api/session";
import { urlPath } from "../../api/url";
import { emptyDocument } from "../../api/workflowDocument";
import { useRegisterActions } from "../../palette/actionRegistry";
import { download, fileName } from "../../shared/download";
import { ListPage } from "../../shared/ListPage";
import { NameDialog } from "../../shared/NameDialog";
import { useBulkAction } from "../../shared/SelectionBar";
import { Button, confirm, EmptyState, NoMatches, toast, tryAction } from "../../ui";
import {
  createFolder,
  createWorkflow,
  deleteFolder,
  deleteWorkflow,
  duplicateWorkflow,
  loadWorkflow,
  moveToFolder,
  renameWorkflow,
  setActive,
  setArchived,
  updateFolder,
  useFolders,
  useWorkflows,
} from "../../workflows/workflowApi";
import {
  type FolderRow,
  filterRows,
  isSearch,
  type WorkflowRow,
} from "../../workflows/workflowRows";
import { FolderBar } from "./FolderBar";
import { ImportDialog } from "./ImportDialog";
import { MoveWorkflowsDialog } from "./MoveWorkflowsDialog";
import { TagsDialog } from "./TagsDialog";
import { useListView } from "./useListView";
import { type RowActions, useWorkflowTable } from "./useWorkflowTable";
import { WorkflowBulkBar } from "./WorkflowBulkBar";
import { WorkflowFilters } from "./WorkflowFilters";

type OpenDialog =
  | { what: "import"; file?: File }
  | { what: "new folder" }
  | { what: "rename"; row: WorkflowRow }
  | { what: "move" | "tags"; rows: readonly WorkflowRow[] }
  | { what: "rename folder" | "move folder"; folder: FolderRow };

/** Rows that are shown at first; more come when they are asked for. */
const MAX_ROWS_SHOWN = 100;

export default function WorkflowsPage() {
  const canEdit = useCanEdit();
  const workflows = useWorkflows();
  const folders = useFolders();
  const [view, change] = useListView();
  const [query, setQuery] = useSearchParams();
  const [doing, setDoing] = useState<OpenDialog | null>(null);
  const [, go] = useLocation();
  const rows = workflows.data ?? [];
  const shown = filterRows(rows, view);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const bulk = useBulkAction("workflow", () => setChosen(new Set()));
  // What is out of sight is not acted on, whether it was chosen before or not.
  const picked = shown.filter((row) => chosen.has(row.id));
  const allFolders = folders.data?.folders ?? [];
  // What is made here belongs to the project of the open folder.
  const here = {
    projectId: allFolders.find((folder) => folder.id === view.folder)?.projectId ?? view.project,
    folderId: view.folder,
  };
  const hasFolders = folders.data?.known === true;
  useRegisterActions(
    useMemo(
      () =>
        hasFolders && canEdit
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
      [hasFolders, canEdit],
    ),
  );
  const close = () => {
    setDoing(null);
    if (query.has("import")) setQuery({}, { replace: true });
  };

  const create = () =>
    tryAction(async () => {
      const name = rows.some((row) => row.name === "My workflow")
        ? `My workflow ${rows.length + 1}`
        : "My workflow";
      const made = await createWorkflow(emptyDocument(name), here);
      go(urlPath`/workflow/${made.id}`);
    });
  const actions: RowActions = {
    open: (row) => go(urlPath`/workflow/${row.id}`),
    activate: (row, active) => void tryAction(() => setActive(row.id, active)),
    rename: (row) => setDoing({ what: "rename", row }),
    move: (row) => setDoing({ what: "move", rows: [row] }),
    tags: (row) => setDoing({ what: "tags", rows: [row] }),
    duplicate: (row) =>
      void tryAction(async () => {
        const made = await duplicateWorkflow(await loadWorkflow(row.id));
        toast({
          text: `${made.name} created`,
          tone: "good",
          undo: () => void tryAction(() => deleteWorkflow(made.id ?? "")),
        });
      }),
    exportFile: (row) =>
      void tryAction(async () => {
        const { name, nodes, connections, settings, pinData, meta, tags } = await loadWorkflow(
          row.id,
        );
        download(
          fileName(name, "json"),
          JSON.stringify({ name, nodes, connections, settings, pinData, meta, tags }, null, 2),
        );
      }),
    archive: (row) =>
      void tryAction(async () => {
        await setArchived(row.id, true);
        toast({
          text: `${row.name} archived${row.active ? " and deactivated" : ""}`,
          undo: () => actions.restore(row),
        });
      }),
    restore: (row) =>
      void tryAction(async () => {
        await setArchived(row.id, false);
        toast({ text: `${row.name} unarchived`, tone: "good" });
      }),
    remove: async (row) => {
      const text =
        "The workflow, its versions and its executions will be deleted. This cannot be undone.";
      const sure = await confirm({
        title: `Delete ${row.name}?`,
        text,
        action: "Delete permanently",
        danger: true,
      });
      if (sure && (await tryAction(() => deleteWorkflow(row.id))))
        toast({ text: `${row.name} deleted` });
    },
  };
  const table = useWorkflowTable({ view, onView: change, actions, chosen, onChoose: setChosen });
  const removeFolder = async (folder: FolderRow) => {
    const text = "Workflows and folders inside it move up one level.";
    const sure = await confirm({
      title: `Delete folder ${folder.name}?`,
      text,
      action: "Delete folder",
      danger: true,
    });
    if (sure) await tryAction(() => deleteFolder(folder.id));
  };
  const takeInto = async (ids: readonly string[], folder: FolderRow | null) => {
    const moved = rows.filter(
      (row) => ids.includes(row.id) && row.folderId !== (folder?.id ?? null),
    );
    if (moved.length === 0) return;
    const before = new Map(moved.map((row) => [row.id, row.folderId]));
    await bulk.act(
      `moved to ${folder?.name ?? "the top level"}`,
      [...before.keys()],
      (id) => moveToFolder(id, folder?.id ?? null),
      (done) => void runBulk(done, (id) => moveToFolder(id, before.get(id) ?? null)),
    );
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file && canEdit) setDoing({ what: "import", file });
  };

  const buttons = canEdit && (
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
  const noMatches = isFiltered ? (
    <NoMatches text="No workflows match these filters." onClear={showAll} />
  ) : (
    <EmptyState
      icon={Workflow}
      title="Nothing here yet"
      text="Create a workflow in this folder, or use Move in a workflow's menu."
    />
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping a file is a short way to Import, which has a button.
    <div style={{ height: "100%" }} onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <ListPage
        {...table}
        actions={buttons}
        toolbar={
          picked.length > 0 ? (
            <WorkflowBulkBar
              picked={picked}
              total={shown.length}
              onAll={() => setChosen(new Set(shown.map((row) => row.id)))}
              onNone={() => setChosen(new Set())}
              onMove={() => setDoing({ what: "move", rows: picked })}
              onTags={() => setDoing({ what: "tags", rows: picked })}
            />
          ) : (
            rows.length > 0 && <WorkflowFilters view={view} onView={change} />
          )
        }
        query={workflows}
        rows={shown}
        limit={MAX_ROWS_SHOWN}
        lines={8}
        before={
          !isSearch(view) &&
          view.status !== "archived" && (
            <FolderBar
              folders={allFolders.filter(
                (folder) => view.project === null || folder.projectId === view.project,
              )}
              rows={rows}
              open={view.folder}
              onOpen={(folder) => change({ folder })}
              onRename={(folder) => setDoing({ what: "rename folder", folder })}
              onMove={(folder) => setDoing({ what: "move folder", folder })}
              onDelete={(folder) => void removeFolder(folder)}
              onTake={(ids, folder) => void takeInto(ids, folder)}
            />
          )
        }
        empty={
          <EmptyState
            icon={Workflow}
            title="Build your first workflow"
            text="A workflow starts with a trigger, such as a web request, a schedule or a chat message. Start from scratch, use a template, or import from n8n."
            action={
              canEdit && (
                <>
                  <Button kind="primary" icon={FilePlus2} onClick={create}>
                    New workflow
                  </Button>
                  <Button icon={LayoutTemplate} onClick={() => go("/templates")}>
                    Browse templates
                  </Button>
                </>
              )
            }
          />
        }
        noMatches={noMatches}
      />
      {(doing?.what === "import" || query.has("import")) && (
        <ImportDialog
          onClose={close}
          place={here}
          dropped={doing?.what === "import" ? doing.file : null}
        />
      )}
      {doing?.what === "new folder" && (
        <NameDialog
          title="New folder"
          action="Create folder"
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
          onDone={(name) => updateFolder(doing.folder.id, { name })}
        />
      )}
      {doing?.what === "move" && <MoveWorkflowsDialog rows={doing.rows} onClose={close} />}
      {doing?.what === "move folder" && (
        <MoveWorkflowsDialog folder={doing.folder} onClose={close} />
      )}
      {doing?.what === "tags" && <TagsDialog rows={doing.rows} onClose={close} />}
    </div>
  );
}
