/** Copy, cut, paste, duplicate, pin and import on the canvas, with n8n's JSON on the clipboard. */

import { fetchCredentials } from "../credentials/credentialApi";
import { hasCredentialIds, withKnownCredentials } from "../graph/credentialRefs";
import {
  duplicateNodes,
  findNode,
  type PinnedItem,
  pinNode,
  removeNodes,
  unpinNode,
} from "../graph/document";
import {
  copyFragment,
  cornerBounds,
  type Fragment,
  FragmentError,
  looksLikeFragment,
  parseFragment,
  pasteFragment,
  serializeFragment,
} from "../graph/fragment";
import { NODE_SIZE, snap } from "../graph/geometry";
import { fetchItems } from "../run/runItems";
import { useCanvas } from "../store/canvasStore";
import { useDrawer } from "../store/drawerStore";
import { useEditor } from "../store/editorStore";
import { errorSentences } from "../store/saveWorkflow";
import { plural, toast } from "../ui";
import { checkWorkflow } from "../workflows/workflowApi";
import { showHintAtPointer } from "./commands";
import { fitView } from "./viewControls";

const editor = () => useEditor.getState();

/** What was copied last, for browsers that do not let a page read the clipboard. */
let lastCopied = "";

export async function copySelected(): Promise<boolean> {
  const { workflow, selection } = editor();
  if (selection.size === 0) return false;
  lastCopied = serializeFragment(copyFragment(workflow, selection));
  try {
    await navigator.clipboard.writeText(lastCopied);
  } catch {
    // Pages that are not secure may not write there; pasting inside the editor still works.
  }
  return true;
}

/** For the browser's own copy event, which may write to the clipboard on every page. */
export function onCopy(event: ClipboardEvent, isCut: boolean) {
  const { workflow, selection, readOnly } = editor();
  if (selection.size === 0) return;
  lastCopied = serializeFragment(copyFragment(workflow, selection));
  event.clipboardData?.setData("text/plain", lastCopied);
  event.preventDefault();
  if (isCut && !readOnly) cutSelected(false);
  else toast({ text: `${plural(selection.size, "node", "nodes")} copied.` });
}

export function cutSelected(copies = true) {
  const { selection, change, readOnly } = editor();
  if (readOnly || selection.size === 0) return;
  if (copies) void copySelected();
  change("Cut", (document) => removeNodes(document, selection));
  editor().select([]);
}

export async function pasteClipboard() {
  let text = lastCopied;
  try {
    text = (await navigator.clipboard.readText()) || lastCopied;
  } catch {
    // Without leave to read the clipboard there is what was copied here.
  }
  if (text) pasteText(text);
  else showHintAtPointer("Nothing to paste. Copy nodes in Heddle or n8n first.");
}

/** Pastes nodes from a text at the pointer. Text that is clearly no workflow is passed over. */
export function pasteText(text: string, isSure = false) {
  if (!isSure && !looksLikeFragment(text)) {
    showHintAtPointer(
      "No nodes in the clipboard. Copy nodes from Heddle or n8n, or a workflow's JSON.",
    );
    return;
  }
  try {
    const fragment = parseFragment(text);
    // What was copied here keeps what it had.
    if (text === lastCopied) insertFragment(fragment, "Paste");
    else
      void dropUnknownCredentials(fragment).then((known) => {
        if (insertFragment(known, "Paste")) void reportForeignNodes(known);
      });
  } catch (error) {
    if (!(error instanceof FragmentError)) throw error;
    showHintAtPointer(error.message);
  }
}

/** Nodes from elsewhere with the credentials that are known here; the others are chosen by whoever brings them in. */
async function dropUnknownCredentials<F extends Fragment>(fragment: F): Promise<F> {
  if (!hasCredentialIds(fragment.nodes)) return fragment;
  const known = await fetchCredentials().catch(() => []);
  return { ...fragment, nodes: withKnownCredentials(fragment.nodes, known) };
}

/** Says of nodes from elsewhere what the import of a file says: how many of them are not supported here, and what else is missing. */
async function reportForeignNodes({ nodes, connections }: Fragment) {
  const report = await checkWorkflow({ name: "", nodes, connections });
  const unsupported = report.counts.unknown + report.counts.version;
  const lacking = report.rows.filter((row) =>
    row.problems.some((problem) => problem.code === "CREDENTIAL_MISSING"),
  ).length;
  if (unsupported + lacking === 0) return;
  const parts = [
    unsupported > 0 && `${plural(unsupported, "node is", "nodes are")} not supported`,
    lacking > 0 && `${plural(lacking, "node needs", "nodes need")} a credential`,
  ].filter(Boolean);
  toast({
    text: `Pasted ${plural(nodes.length, "node", "nodes")}: ${parts.join(", ")}.`,
    action: { label: "Show problems", run: () => useDrawer.getState().show("problems") },
  });
}

/** Whether the nodes were added; if not, the reason is shown. */
function insertFragment(fragment: Fragment, label: string): boolean {
  const { workflow, change, readOnly } = editor();
  if (readOnly) {
    showHintAtPointer("This view is read-only. Go back to the draft to edit it.");
    return false;
  }
  if (fragment.nodes.length === 0) {
    showHintAtPointer("It contains no nodes.");
    return false;
  }
  const pasted = pasteFragment(workflow, fragment, pasteOffset(fragment));
  change(label, () => pasted.document);
  editor().select(pasted.names);
  return true;
}

/** How far pasted nodes move so that their middle is at the pointer, or in the middle of the canvas. */
function pasteOffset(fragment: Fragment): [number, number] {
  const { flow, pointer } = useCanvas.getState();
  const frame = document.querySelector("[data-canvas]")?.getBoundingClientRect();
  if (!flow || !frame) return [0, 0];
  const isOver =
    pointer &&
    pointer.x > frame.left &&
    pointer.x < frame.right &&
    pointer.y > frame.top &&
    pointer.y < frame.bottom;
  const screen = isOver
    ? pointer
    : { x: frame.left + frame.width / 2, y: frame.top + frame.height / 2 };
  const at = flow.screenToFlowPosition(screen);
  const [left, top, right, bottom] = cornerBounds(fragment.nodes);
  // In whole steps of the grid, on which the nodes mostly stood where they came from.
  const { x, y } = snap({
    x: at.x - (left + right + NODE_SIZE) / 2,
    y: at.y - (top + bottom + NODE_SIZE) / 2,
  });
  return [x, y];
}

export function duplicateSelected() {
  const { workflow, selection, change, readOnly } = editor();
  if (readOnly || selection.size === 0) return;
  const made = duplicateNodes(workflow, selection);
  change("Duplicate", () => made.document);
  editor().select(made.names);
}

/** Takes a workflow from a file: the whole document if the canvas is empty, else its nodes beside what is there. */
export async function importFile(file: File) {
  const { workflow, change, readOnly } = editor();
  if (readOnly) return;
  try {
    const read = await dropUnknownCredentials(parseFragment(await file.text()));
    if (workflow.nodes.length > 0) {
      insertFragment(read, "Import");
    } else {
      const name =
        read.name && (!workflow.id || workflow.name === "My workflow") ? read.name : workflow.name;
      const { document } = pasteFragment(
        { ...workflow, name, settings: { ...workflow.settings, ...read.settings } },
        read,
        [0, 0],
      );
      change("Import", () => document);
      requestAnimationFrame(fitView);
    }
    toast({
      text: `${plural(read.nodes.length, "node", "nodes")} imported from ${file.name}.`,
      undo: () => editor().undo(),
    });
    await reportForeignNodes(read);
  } catch (error) {
    toast({
      text: `Could not import ${file.name}. ${error instanceof Error ? error.message : error}`,
      tone: "bad",
    });
  }
}

/** Offers the document as a file that n8n reads too. */
export function downloadWorkflow() {
  const { workflow } = editor();
  const { name, nodes, connections, settings, pinData, meta } = workflow;
  const text = JSON.stringify(
    {
      name,
      nodes,
      connections,
      settings: settings ?? {},
      pinData: pinData ?? {},
      meta: meta ?? {},
    },
    null,
    2,
  );
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `${name.replace(/[\\/:*?"<>|]+/g, " ").trim() || "workflow"}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** More items than this do not belong into a document. */
const MAX_PINNED_ITEMS = 250;

/** Pins what the chosen nodes gave in the run that is shown, or takes the pins away. */
export async function togglePins() {
  const { selection, workflow, run, readOnly, change } = editor();
  const names = [...selection].filter((name) =>
    useCanvas
      .getState()
      .ports.get(name)
      ?.outputs.some((port) => port.kind === "main"),
  );
  if (readOnly || names.length === 0) return;
  if (names.every((name) => workflow.pinData?.[name])) {
    change("Unpin", (document) => names.reduce(unpinNode, document));
    return;
  }
  const wanted = names.filter((name) => !workflow.pinData?.[name]);
  const ran = wanted.filter((name) =>
    run?.nodes.get(name)?.some((one) => one.outputs.some((output) => output.items > 0)),
  );
  if (!run || ran.length === 0) {
    showHintAtPointer("No data to pin yet. Run the node, then press P.");
    return;
  }
  try {
    const pins = await Promise.all(
      ran.map(
        async (name) =>
          [
            name,
            await fetchOutput(run.executionId, name, run.nodes.get(name)?.at(-1)?.runIndex ?? 0),
          ] as const,
      ),
    );
    change("Pin", (document) =>
      pins.reduce(
        (result, [name, items]) => (findNode(result, name) ? pinNode(result, name, items) : result),
        document,
      ),
    );
  } catch (error) {
    toast({ text: `Could not pin data. ${errorSentences(error)}`, tone: "bad" });
  }
}

async function fetchOutput(executionId: string, node: string, run: number): Promise<PinnedItem[]> {
  const page = await fetchItems({ executionId, node, run, limit: MAX_PINNED_ITEMS });
  const whole = page.items.filter((item) => item.json);
  if (whole.length < page.total) {
    toast({
      text: `${node}: pinned ${whole.length} of ${page.total} items. The rest exceed the limit.`,
    });
  }
  return whole.map(({ json, binary }) => ({ json: json ?? {}, ...(binary ? { binary } : {}) }));
}
