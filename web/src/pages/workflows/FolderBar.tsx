/** The way to the open folder, and the folders that lie in it. */
import {
  ChevronRight,
  Ellipsis,
  FolderInput,
  Folder as FolderMark,
  Pencil,
  Trash2,
} from "lucide-react";
import { useCanEdit } from "../../api/session";
import { IconButton, Menu } from "../../ui";
import { countIn, folderPath, foldersIn } from "../../workflows/folderTree";
import type { FolderRow, WorkflowRow } from "../../workflows/workflowRows";
import { dropTarget } from "./dragRows";
import styles from "./FolderBar.module.css";

interface Props {
  folders: readonly FolderRow[];
  rows: readonly WorkflowRow[];
  open: string | null;
  onOpen: (id: string | null) => void;
  onRename: (folder: FolderRow) => void;
  onMove: (folder: FolderRow) => void;
  onDelete: (folder: FolderRow) => void;
  /** Workflows were dropped on a folder, or on the top. */
  onTake: (ids: readonly string[], folder: FolderRow | null) => void;
}

export function FolderBar({
  folders,
  rows,
  open,
  onOpen,
  onRename,
  onMove,
  onDelete,
  onTake,
}: Props) {
  const canEdit = useCanEdit();
  const path = folderPath(folders, open);
  const inside = foldersIn(folders, open);
  return (
    <>
      {path.length > 0 && (
        <nav className={styles.path} aria-label="Folders">
          <button
            type="button"
            onClick={() => onOpen(null)}
            {...dropTarget((ids) => onTake(ids, null))}
          >
            Workflows
          </button>
          {path.map((folder) => (
            <span key={folder.id} className={styles.step}>
              <ChevronRight size={14} aria-hidden />
              <button
                type="button"
                onClick={() => onOpen(folder.id)}
                aria-current={folder.id === open ? "page" : undefined}
                {...dropTarget((ids) => onTake(ids, folder))}
              >
                {folder.name}
              </button>
            </span>
          ))}
        </nav>
      )}
      {inside.length > 0 && (
        <ul className={styles.folders} aria-label="Subfolders">
          {inside.map((folder) => (
            <li
              key={folder.id}
              className={styles.folder}
              {...dropTarget((ids) => onTake(ids, folder))}
            >
              <button type="button" className={styles.open} onClick={() => onOpen(folder.id)}>
                <FolderMark size={16} aria-hidden />
                <span className={styles.name}>{folder.name}</span>
                <span className={styles.count}>{countIn(folders, rows, folder.id)}</span>
              </button>
              {canEdit && (
                <span className={styles.more}>
                  <Menu
                    trigger={
                      <IconButton
                        icon={Ellipsis}
                        label={`Actions for folder ${folder.name}`}
                        size="small"
                      />
                    }
                    items={[
                      { label: "Rename", icon: Pencil, onSelect: () => onRename(folder) },
                      { label: "Move", icon: FolderInput, onSelect: () => onMove(folder) },
                      null,
                      {
                        label: "Delete folder",
                        icon: Trash2,
                        danger: true,
                        onSelect: () => onDelete(folder),
                      },
                    ]}
                  />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
