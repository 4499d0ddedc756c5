import { lazy, useState } from "react";
import { getEditorPage, loadEditorPage } from "./editorLoader";

const LazyEditor = lazy(loadEditorPage);

/** The page of a canvas. Where its code is there it is drawn at once: what comes later is held back by React for a while. */
export function Editor() {
  const [Page] = useState(() => getEditorPage() ?? LazyEditor);
  return <Page />;
}
