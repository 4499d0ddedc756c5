/** The tree of folders: the way to one, what lies in it, and where it may be moved. */
import type { FolderRow, WorkflowRow } from "./workflowRows";

/** The folders from the top down to this one. A folder whose parent is gone stands at the top. */
export function folderPath(folders: readonly FolderRow[], id: string | null): FolderRow[] {
  const path: FolderRow[] = [];
  let next = id;
  while (next !== null) {
    const found = folders.find((folder) => folder.id === next);
    if (!found || path.includes(found)) break;
    path.unshift(found);
    next = found.parentId;
  }
  return path;
}

export function foldersIn(folders: readonly FolderRow[], parent: string | null): FolderRow[] {
  const known = new Set(folders.map((folder) => folder.id));
  const inside = folders.filter((folder) => {
    const home = folder.parentId !== null && known.has(folder.parentId) ? folder.parentId : null;
    return home === parent;
  });
  return inside.sort((one, other) =>
    one.name.localeCompare(other.name, undefined, { numeric: true }),
  );
}

/** The folder and everything below it. */
export function descendantIds(folders: readonly FolderRow[], id: string): Set<string> {
  const found = new Set([id]);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const folder of folders)
      if (folder.parentId !== null && found.has(folder.parentId)) found.add(folder.id);
  }
  return found;
}

/** How many workflows lie in a folder and below it. */
export function countIn(
  folders: readonly FolderRow[],
  rows: readonly WorkflowRow[],
  id: string,
): number {
  const inside = descendantIds(folders, id);
  return rows.filter((row) => !row.archived && row.folderId !== null && inside.has(row.folderId))
    .length;
}

/** A place to move something to, with its depth in the tree. */
export interface FolderOption {
  id: string | null;
  name: string;
  depth: number;
}

/** Every folder that something may be moved into, in the order of the tree. A folder does not go into itself. */
export function listMoveTargets(
  folders: readonly FolderRow[],
  moving: string | null,
): FolderOption[] {
  const closed = moving === null ? new Set<string>() : descendantIds(folders, moving);
  const list: FolderOption[] = [{ id: null, name: "No folder", depth: 0 }];
  const walk = (parent: string | null, depth: number) => {
    for (const folder of foldersIn(folders, parent)) {
      if (closed.has(folder.id)) continue;
      list.push({ id: folder.id, name: folder.name, depth });
      walk(folder.id, depth + 1);
    }
  };
  walk(null, 0);
  return list;
}
