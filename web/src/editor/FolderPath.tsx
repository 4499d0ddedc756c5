/** The folders in which a workflow lies, as the way to it in the bar above the canvas. */

import { Link } from "wouter";
import { urlPath } from "../api/url";
import { useEditor } from "../store/editorStore";
import { folderPath } from "../workflows/folderTree";
import { useFolders } from "../workflows/workflowApi";
import css from "./TopBar.module.css";

export function FolderPath() {
  const folder = useEditor((state) => (state.draft ?? state.workflow).parentFolderId);
  return typeof folder === "string" && folder !== "" ? <Breadcrumb folder={folder} /> : null;
}

function Breadcrumb({ folder }: { folder: string }) {
  const folders = useFolders();
  const path = folderPath(folders.data?.folders ?? [], folder);
  return path.map(({ id, name }) => (
    <span key={id} className={css.step}>
      <span aria-hidden>/</span>
      <Link href={urlPath`/workflows?folder=${id}`} className={css.up} title={name}>
        {name}
      </Link>
    </span>
  ));
}
