/** Fetching the page of a canvas: early if the address leads to one, and then known by the time the first page is drawn. */
import type EditorPage from "../editor/EditorPage";

let page: typeof EditorPage | null = null;

export async function loadEditorPage() {
  const module = await import("../editor/EditorPage");
  page = module.default;
  return module;
}

/** The page, if its code is there. */
export function getEditorPage(): typeof EditorPage | null {
  return page;
}
