/** The folders in which a workflow lies, as the way to it in the bar above the canvas. */

import { Link } from "wouter";
import { urlPath } from "../api/address";
import { useFolders } from "../pages/workflows/data";
import { pathTo } from "../pages/workflows/folderTree";
import { useEditor } from "./store";
import css from "./TopBar.module.css";

export function FolderPath() {
  const folder = useEditor((state) => (state.draft ?? state.workflow).parentFolderId);
  return typeof folder === "string" && folder !== "" ? <Path folder={folder} /> : null;
}

function Path({ folder }: { folder: string }) {
  const folders = useFolders();
  const path = pathTo(folders.data?.folders ?? [], folder);
  return path.map(({ id, name }) => (
    <span key={id} className={css.step}>
      <span aria-hidden>/</span>
      <Link href={urlPath`/workflows?folder=${id}`} className={css.up} title={name}>
        {name}
      </Link>
    </span>
  ));
}
