/** How the workflows of a view are shown, and what can be done with each. */

import {
  Archive,
  ArchiveRestore,
  Copy,
  Download,
  Ellipsis,
  FolderInput,
  Pencil,
  SquareArrowOutUpRight,
  Tags,
  Trash2,
} from "lucide-react";
import { Link } from "wouter";
import { useCatalogue } from "../../api/catalogue";
import { useCanEdit } from "../../api/session";
import { urlPath } from "../../api/url";
import layout from "../../shared/layout.module.css";
import {
  Chip,
  count,
  IconButton,
  Menu,
  type MenuItem,
  Switch,
  type TableProps,
  Time,
} from "../../ui";
import type { SortKey, WorkflowListView, WorkflowRow } from "../../workflows/workflowRows";
import { dragRows } from "./dragRows";
import { canActivate, triggerLabel } from "./triggerLabels";
import styles from "./WorkflowTable.module.css";

export interface RowActions {
  open: (row: WorkflowRow) => void;
  activate: (row: WorkflowRow, active: boolean) => void;
  rename: (row: WorkflowRow) => void;
  duplicate: (row: WorkflowRow) => void;
  move: (row: WorkflowRow) => void;
  tags: (row: WorkflowRow) => void;
  exportFile: (row: WorkflowRow) => void;
  archive: (row: WorkflowRow) => void;
  restore: (row: WorkflowRow) => void;
  remove: (row: WorkflowRow) => void;
}

interface Props {
  view: WorkflowListView;
  onView: (change: Partial<WorkflowListView>) => void;
  actions: RowActions;
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
}

const COLUMNS = [
  { id: "name", label: "Name", sortable: true },
  { id: "starts", label: "Trigger", width: "150px" },
  { id: "nodes", label: "Nodes", align: "right" as const, width: "80px", sortable: true },
  { id: "updated", label: "Updated", width: "120px", sortable: true },
  { id: "active", label: "Active", width: "80px" },
];

export function useWorkflowTable({
  view,
  onView,
  actions,
  chosen,
  onChoose,
}: Props): Omit<TableProps<WorkflowRow>, "rows"> {
  const canEdit = useCanEdit();
  const catalogue = useCatalogue();
  const render = (row: WorkflowRow, column: string) => {
    if (column === "name")
      return (
        <NameCell row={row} onTag={(tag) => onView({ tags: [...new Set([...view.tags, tag])] })} />
      );
    if (column === "starts")
      return (
        <span className={layout.quiet}>{triggerLabel(row.types, catalogue).join(", ") || "–"}</span>
      );
    if (column === "nodes") return count(row.nodeCount);
    if (column === "updated") return <Time at={row.updatedAt} />;
    return (
      <span className={styles.active}>
        <Switch
          checked={row.active}
          disabled={!canEdit || row.archived || (!row.active && !canActivate(row.types, catalogue))}
          onChange={(active) => actions.activate(row, active)}
          label={row.active ? `Deactivate ${row.name}` : `Activate ${row.name}`}
        />
      </span>
    );
  };
  return {
    label: "Workflows",
    columns: COLUMNS,
    rowKey: (row) => row.id,
    render,
    onOpen: actions.open,
    onDrag: canEdit ? (event, row) => dragRows(event, row.id, chosen) : undefined,
    selection: canEdit
      ? { selected: chosen, onChange: onChoose, nameOf: (row) => row.name }
      : undefined,
    sort: { by: view.sort, down: view.descending },
    onSort: ({ by, down }) =>
      onView({ sort: by as SortKey, descending: by === view.sort ? down : by !== "name" }),
    rowActions: (row) => (
      <Menu
        trigger={<IconButton icon={Ellipsis} label={`Actions for ${row.name}`} size="small" />}
        items={rowMenu(row, actions, canEdit)}
      />
    ),
  };
}

function NameCell({ row, onTag }: { row: WorkflowRow; onTag: (tag: string) => void }) {
  return (
    <span className={styles.name}>
      <Link href={urlPath`/workflow/${row.id}`} className={styles.link}>
        {row.name}
      </Link>
      {row.tags.map((tag) => (
        <Chip key={tag.id} label={tag.name} onClick={() => onTag(tag.name)} />
      ))}
    </span>
  );
}

function rowMenu(row: WorkflowRow, actions: RowActions, canEdit: boolean): MenuItem[] {
  const open = { label: "Open", icon: SquareArrowOutUpRight, onSelect: () => actions.open(row) };
  const save = {
    label: "Download as JSON",
    icon: Download,
    onSelect: () => actions.exportFile(row),
  };
  if (!canEdit) return [open, save];
  if (row.archived) {
    return [
      open,
      { label: "Unarchive", icon: ArchiveRestore, onSelect: () => actions.restore(row) },
      save,
      null,
      {
        label: "Delete permanently",
        icon: Trash2,
        danger: true,
        onSelect: () => actions.remove(row),
      },
    ];
  }
  return [
    open,
    { label: "Rename", icon: Pencil, onSelect: () => actions.rename(row) },
    { label: "Duplicate", icon: Copy, onSelect: () => actions.duplicate(row) },
    { label: "Tags", icon: Tags, onSelect: () => actions.tags(row) },
    { label: "Move", icon: FolderInput, onSelect: () => actions.move(row) },
    save,
    null,
    { label: "Archive", icon: Archive, onSelect: () => actions.archive(row) },
  ];
}
