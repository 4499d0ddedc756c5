/** Moves the chosen nodes into a workflow of their own, which is stored at once; the call in their place can be undone. */
import {
  buildSubworkflow,
  ExtractError,
  findParts,
  replaceByCall,
} from "../graph/extractSubworkflow";
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { errorSentences } from "../store/saveWorkflow";
import { plural, toast } from "../ui";
import { createWorkflow } from "../workflows/workflowApi";
import { toRow } from "../workflows/workflowRows";
import { showHintAtPointer } from "./commands";

export async function extractSelected() {
  const { workflow, selection, readOnly } = useEditor.getState();
  const { types } = useCanvas.getState();
  if (readOnly) return;
  try {
    const parts = findParts(workflow, types, selection);
    const name = `${workflow.name}: ${parts.entry}`;
    const made = await createWorkflow(
      buildSubworkflow(workflow, types, parts, name),
      toRow(workflow),
    );
    const id = made.id;
    if (!id) return;
    const { change, workflow: now } = useEditor.getState();
    if (now !== workflow) {
      toast({
        text: `“${name}” created. The workflow has changed meanwhile, so nothing was replaced.`,
      });
      return;
    }
    const called = replaceByCall(workflow, types, parts, { id, name });
    change("Convert to sub-workflow", () => called.document);
    useEditor.getState().select([called.name]);
    toast({
      text: `${plural(parts.names.size, "node", "nodes")} moved to “${name}”.`,
      action: { label: "Open", run: () => window.open(`/workflow/${encodeURIComponent(id)}`) },
      undo: () => useEditor.getState().undo(),
    });
  } catch (error) {
    if (error instanceof ExtractError) showHintAtPointer(error.message);
    else
      toast({ text: `Could not create the sub-workflow. ${errorSentences(error)}`, tone: "bad" });
  }
}
