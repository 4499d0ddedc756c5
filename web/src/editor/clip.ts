/** Copy, cut, paste, duplicate, pin and import on the canvas, with n8n's JSON on the clipboard. */
import {
  cornersOf,
  type Fragment,
  fragmentOf,
  fragmentText,
  looksLikeFragment,
  NotAFragment,
  paste,
  readFragment,
} from "../graph/clipboard";
import { namesCredentials, withKnownCredentials } from "../graph/credentials";
import { duplicate, nodeOf, type PinnedItem, pin, removeNodes, unpin } from "../graph/document";
import { STRETCH } from "../graph/geometry";
import { knownCredentials } from "../pages/credentials/data";
import { fetchItems } from "../run/items";
import { plural, toast } from "../ui";
import { useCanvas } from "./canvas";
import { explain } from "./commands";
import { wordsOf } from "./save";
import { useEditor } from "./store";
import { fit } from "./view";

const editor = () => useEditor.getState();

/** What was copied last, for browsers that do not let a page read the clipboard. */
let copied = "";

export async function copySelected(): Promise<boolean> {
  const { workflow, selection } = editor();
  if (selection.size === 0) return false;
  copied = fragmentText(fragmentOf(workflow, selection));
  try {
    await navigator.clipboard.writeText(copied);
  } catch {
    // Pages that are not secure may not write there; pasting inside the editor still works.
  }
  return true;
}

/** For the browser's own copy event, which may write to the clipboard on every page. */
export function onCopy(event: ClipboardEvent, isCut: boolean) {
  const { workflow, selection, readOnly } = editor();
  if (selection.size === 0) return;
  copied = fragmentText(fragmentOf(workflow, selection));
  event.clipboardData?.setData("text/plain", copied);
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
  let text = copied;
  try {
    text = (await navigator.clipboard.readText()) || copied;
  } catch {
    // Without leave to read the clipboard there is what was copied here.
  }
  if (text) pasteText(text);
  else explain("There is nothing to paste. Copy nodes here or in n8n first.");
}

/** Pastes nodes from a text at the pointer. Text that is clearly no workflow is passed over. */
export function pasteText(text: string, isSure = false) {
  if (!isSure && !looksLikeFragment(text)) {
    explain("The clipboard holds no nodes. Copy nodes here or in n8n, or the JSON of a workflow.");
    return;
  }
  try {
    const fragment = readFragment(text);
    // What was copied here keeps what it had.
    if (text === copied) insertFragment(fragment, "Paste");
    else void settled(fragment).then((known) => insertFragment(known, "Paste"));
  } catch (error) {
    if (!(error instanceof NotAFragment)) throw error;
    explain(error.message);
  }
}

/** Nodes from elsewhere with the credentials that are known here; the others are chosen by whoever brings them in. */
async function settled<F extends Fragment>(fragment: F): Promise<F> {
  if (!namesCredentials(fragment.nodes)) return fragment;
  const known = await knownCredentials().catch(() => []);
  return { ...fragment, nodes: withKnownCredentials(fragment.nodes, known) };
}

function insertFragment(fragment: Fragment, label: string) {
  const { workflow, change, readOnly } = editor();
  if (readOnly) {
    explain("This is only shown. Go back to the draft to change it.");
    return;
  }
  if (fragment.nodes.length === 0) {
    explain("There are no nodes in it.");
    return;
  }
  const pasted = paste(workflow, fragment, shiftFor(fragment));
  change(label, () => pasted.document);
  editor().select(pasted.names);
}

/** How far pasted nodes move so that their middle is at the pointer, or in the middle of the canvas. */
function shiftFor(fragment: Fragment): [number, number] {
  const { flow, pointer } = useCanvas.getState();
  const frame = document.querySelector("[data-canvas]")?.getBoundingClientRect();
  if (!flow || !frame) return [0, 0];
  const isOver =
    pointer && pointer.x > frame.left && pointer.x < frame.right && pointer.y > frame.top && pointer.y < frame.bottom;
  const screen = isOver ? pointer : { x: frame.left + frame.width / 2, y: frame.top + frame.height / 2 };
  const at = flow.screenToFlowPosition(screen);
  const [left, top, right, bottom] = cornersOf(fragment.nodes);
  return [Math.round(at.x / STRETCH - (left + right) / 2 - 60), Math.round(at.y - (top + bottom) / 2 - 32)];
}

export function duplicateSelected() {
  const { workflow, selection, change, readOnly } = editor();
  if (readOnly || selection.size === 0) return;
  const made = duplicate(workflow, selection);
  change("Duplicate", () => made.document);
  editor().select(made.names);
}

/** Takes a workflow from a file: the whole document if the canvas is empty, else its nodes beside what is there. */
export async function importFile(file: File) {
  const { workflow, change, readOnly } = editor();
  if (readOnly) return;
  try {
    const read = await settled(readFragment(await file.text()));
    if (workflow.nodes.length > 0) {
      insertFragment(read, "Import");
    } else {
      const name = read.name && (!workflow.id || workflow.name === "My workflow") ? read.name : workflow.name;
      const { document } = paste({ ...workflow, name, settings: { ...workflow.settings, ...read.settings } }, read, [0, 0]);
      change("Import", () => document);
      requestAnimationFrame(fit);
    }
    toast({ text: `${plural(read.nodes.length, "node", "nodes")} imported from ${file.name}.`, undo: () => editor().undo() });
  } catch (error) {
    toast({ text: `${file.name} was not imported. ${error instanceof Error ? error.message : error}`, tone: "bad" });
  }
}

/** Offers the document as a file that n8n reads too. */
export function downloadWorkflow() {
  const { workflow } = editor();
  const { name, nodes, connections, settings, pinData, meta } = workflow;
  const text = JSON.stringify(
    { name, nodes, connections, settings: settings ?? {}, pinData: pinData ?? {}, meta: meta ?? {} },
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
const MOST_PINNED = 250;

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
    change("Unpin", (document) => names.reduce(unpin, document));
    return;
  }
  const wanted = names.filter((name) => !workflow.pinData?.[name]);
  const ran = wanted.filter((name) => run?.nodes.get(name)?.some((one) => one.outputs.some((output) => output.items > 0)));
  if (!run || ran.length === 0) {
    explain("There is no data to pin yet. Run the node first, then press P.");
    return;
  }
  try {
    const pins = await Promise.all(
      ran.map(async (name) => [name, await outputOf(run.executionId, name, run.nodes.get(name)?.at(-1)?.runIndex ?? 0)] as const),
    );
    change("Pin", (document) =>
      pins.reduce((result, [name, items]) => (nodeOf(result, name) ? pin(result, name, items) : result), document),
    );
  } catch (error) {
    toast({ text: `The data could not be pinned. ${wordsOf(error)}`, tone: "bad" });
  }
}

async function outputOf(executionId: string, node: string, run: number): Promise<PinnedItem[]> {
  const page = await fetchItems({ executionId, node, run, limit: MOST_PINNED });
  const whole = page.items.filter((item) => item.json);
  if (whole.length < page.total) {
    toast({
      text: `${node}: ${whole.length} of ${page.total} items were pinned; a document holds no more, and none that are very large.`,
    });
  }
  return whole.map(({ json, binary }) => ({ json: json ?? {}, ...(binary ? { binary } : {}) }));
}
