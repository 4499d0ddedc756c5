/** What is done to the document from the canvas and from the panel of a node alike. */
import { renameInDocument } from "../graph/document";
import { toast } from "../ui";
import { useEditor } from "./editorStore";

const editor = () => useEditor.getState();

export function renameNode(from: string, to: string) {
  editor().change(`Rename ${from}`, (document) => renameInDocument(document, from, to));
}

export function undo() {
  const label = editor().undo();
  if (!label && !editor().readOnly) toast({ text: "Nothing to undo." });
}

export function redo() {
  const label = editor().redo();
  if (!label && !editor().readOnly) toast({ text: "Nothing to redo." });
}
