/**
 * What one can do on the canvas, each as a function that a key, a menu and a button share.
 *
 * They read the state of the moment, so that none of them has to be made anew when something changes.
 */
import { fetchCredentialTypes } from "../credentials/credentialTypes";
import {
  findNode,
  moveNodes,
  removeNodes,
  STICKY_NOTE,
  setFieldOfNodes,
  updateNode,
  withSubNodes,
} from "../graph/document";
import { disconnect, parseEdgeKey } from "../graph/edges";
import { GRID, NOTE_HEIGHT, NOTE_WIDTH, snap, toCanvas, toDocument } from "../graph/geometry";
import { type InsertTarget, insertNode } from "../graph/insertNode";
import { type Direction, findNeighbour } from "../graph/keyboardNav";
import { newId, uniqueName } from "../graph/nodeNames";
import { isSubNodeKind } from "../graph/ports";
import { replaceNode } from "../graph/replaceNode";
import { fillStandIn, findService } from "../graph/standIn";
import type { TypeSpec } from "../graph/typeSpec";
import { runToNode, startRun } from "../runner/runControl";
import { showHint, useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { countUsage } from "./usageCounts";
import { fitView, nodesBounds, revealNode, viewCenter } from "./viewControls";

const editor = () => useEditor.getState();
const canvas = () => useCanvas.getState();
export function openNode(name: string) {
  const node = findNode(editor().workflow, name);
  if (node && node.type !== STICKY_NOTE) editor().openNode(name);
}

export function openSelected() {
  const [name, ...more] = editor().selection;
  if (name && more.length === 0) openNode(name);
}

export function startRenaming() {
  const [name, ...more] = editor().selection;
  if (name && more.length === 0 && !editor().readOnly) useCanvas.setState({ renaming: name });
}

/** Removes nodes, or what is chosen: nodes with their sub-nodes left alone, and connections. */
export function removeSelected(names: Iterable<string> = editor().selection) {
  const { change, selectedEdges, readOnly } = editor();
  if (readOnly) return;
  const removed = new Set(names);
  const edges = [...selectedEdges].map(parseEdgeKey);
  if (removed.size === 0 && edges.length === 0) return;
  change("Delete", (document) => removeNodes(disconnect(document, ...edges), removed));
  editor().select([]);
}

/** Switches nodes off; if all of them are off already, on. */
export function toggleDisabled(names: Iterable<string> = editor().selection) {
  const chosen = [...names].filter(
    (name) => findNode(editor().workflow, name)?.type !== STICKY_NOTE,
  );
  if (chosen.length === 0) return;
  const areOff = chosen.every((name) => findNode(editor().workflow, name)?.disabled);
  editor().change(areOff ? "Enable" : "Disable", (document) =>
    setFieldOfNodes(document, chosen, "disabled", areOff ? undefined : true),
  );
}

export function runNode(name: string) {
  void runToNode(name);
}

export function runWorkflow(trigger?: string) {
  void startRun(trigger ? { trigger } : {});
}

/** Opens the search for a node; without a place, for after the node that is chosen. */
export function openAddPanel(place?: InsertTarget) {
  if (editor().readOnly) return;
  useCanvas.setState({
    add: { place: place ?? targetAfterSelection() },
    connect: null,
    panel: null,
  });
}

function targetAfterSelection(): InsertTarget {
  const [name, ...more] = editor().selection;
  const ports = name && more.length === 0 ? canvas().ports.get(name) : undefined;
  if (!name || !ports) return {};
  const open = ports.outputs.find((port) => !isSubNodeKind(port.kind) && !port.isError);
  if (open) return { from: { node: name, side: "output", kind: open.kind, index: open.index } };
  return {};
}

/** Opens the list of what the chosen node can be connected with. */
export function openConnectPanel() {
  const { selection, readOnly } = editor();
  if (readOnly) return;
  const [name, ...more] = selection;
  if (name && more.length === 0 && canvas().ports.has(name))
    useCanvas.setState({ connect: name, add: null, panel: null });
  else showHintAtPointer("Select a node first, then connect it.");
}

export function closeAddPanel() {
  useCanvas.setState({ add: null });
}

/** Adds a node of a type at the place the search was opened for, chooses it and brings it into sight. */
export function addNodeOfType(spec: TypeSpec, place: InsertTarget = canvas().add?.place ?? {}) {
  const { workflow, change, select } = editor();
  const inserted = insertNode(
    workflow,
    canvas().types,
    spec,
    workflow.nodes.length === 0 && !place.at
      ? { at: viewCenter() }
      : { ...place, near: viewCenter() },
  );
  change(`Add ${spec.name}`, () => inserted.document);
  countUsage(spec.id);
  closeAddPanel();
  select([inserted.name]);
  revealNode(inserted.name);
  focusCanvas();
  if (canvas().opensNewNodes && hasForm(spec)) openNode(inserted.name);
}

function hasForm(spec: TypeSpec): boolean {
  const isShown = ({ kind }: TypeSpec["params"][number]) =>
    kind.type !== "hidden" && kind.type !== "notice";
  return spec.params.some(isShown) || (spec.credentials ?? []).length > 0;
}

/** Puts a node of another type in the place of one, with what is known of that filled in. */
export async function replaceNodeWith(name: string, spec: TypeSpec) {
  const node = findNode(editor().workflow, name);
  if (!node) return;
  closeAddPanel();
  const services = spec.standIn ? (await fetchCredentialTypes()).all : [];
  const known = spec.standIn ? fillStandIn(spec.standIn, node, findService(node, services)) : {};
  editor().change(`Replace ${name}`, (document) =>
    replaceNode(document, canvas().types, name, spec, known),
  );
  showReplaced(name, spec);
}

/** Puts a request that was read from an API description in the place of a node. */
export function replaceNodeWithRequest(
  name: string,
  spec: TypeSpec,
  parameters: Record<string, unknown>,
  what: string,
) {
  editor().change(`Replace ${name}`, (document) => {
    const replaced = replaceNode(document, canvas().types, name, spec, parameters);
    return updateNode(replaced, name, (node) => ({
      ...node,
      notes: [node.notes, what].filter(Boolean).join("\n"),
    }));
  });
  showReplaced(name, spec);
}

function showReplaced(name: string, spec: TypeSpec) {
  closeAddPanel();
  countUsage(spec.id);
  editor().select([name]);
  revealNode(name);
  focusCanvas();
  if (canvas().opensNewNodes) openNode(name);
}

/** The keys of the canvas work again after a panel has closed. */
export function focusCanvas() {
  document.querySelector<HTMLElement>("[data-canvas]")?.focus({ preventScroll: true });
}

export function addNote() {
  const { readOnly, change, selection, workflow } = editor();
  if (readOnly) return;
  const around = noteAround(selection);
  const at = around ?? { ...viewCenter(), width: NOTE_WIDTH, height: NOTE_HEIGHT };
  const corner = around
    ? { x: at.x, y: at.y }
    : { x: at.x - at.width / 2, y: at.y - at.height / 2 };
  const name = uniqueName(workflow, "Sticky Note");
  change("Add sticky note", (document) => ({
    ...document,
    nodes: [
      ...document.nodes,
      {
        parameters: {
          content: "",
          width: Math.round(at.width),
          height: Math.round(at.height),
        },
        id: newId(),
        name,
        type: STICKY_NOTE,
        typeVersion: 1,
        position: toDocument(snap(corner)),
      },
    ],
  }));
  editor().select([name]);
  useCanvas.setState({ renaming: name });
}

/** The box for a note around what is chosen, with room for its title above. */
function noteAround(names: Iterable<string>) {
  const box = nodesBounds(names);
  return box && { x: box.x - 40, y: box.y - 72, width: box.width + 80, height: box.height + 120 };
}

export function selectAll() {
  editor().select(editor().workflow.nodes.map((node) => node.name));
}

/** Chooses the next node in a direction: along the connections left and right, to the nearest above and below. */
export function selectNeighbour(direction: Direction) {
  const { workflow, selection, select } = editor();
  const found = findNeighbour(workflow, [...selection].pop() ?? null, direction, canvas().ports);
  if (!found) return;
  select([found]);
  revealNode(found);
}

/** Moves what is chosen by a step of the grid. */
export function nudge(x: number, y: number) {
  const { workflow, selection, change } = editor();
  const moved = new Map<string, readonly [number, number]>();
  for (const name of selection) {
    const node = findNode(workflow, name);
    if (!node) continue;
    const at = toCanvas(node.position);
    moved.set(name, toDocument({ x: at.x + x * GRID, y: at.y + y * GRID }));
  }
  change("Move", (document) => moveNodes(document, moved));
}

/** Puts everything in order, or only what is chosen if that is more than one node. */
export async function arrange() {
  const { workflow, selection, change, readOnly } = editor();
  if (readOnly || workflow.nodes.length === 0) return;
  // What puts nodes in order is large, and most visits do without it.
  const { arrangeNodes } = await import("../graph/layout");
  const only = selection.size > 1 ? withSubNodes(workflow, selection) : undefined;
  change("Arrange", (document) =>
    moveNodes(document, arrangeNodes(document, canvas().types, only)),
  );
  if (!only) requestAnimationFrame(() => fitView());
}

/** Says why something cannot be at the pointer, or in the middle of the canvas. */
export function showHintAtPointer(text: string) {
  const frame = document.querySelector("[data-canvas]")?.getBoundingClientRect();
  showHint(
    text,
    canvas().pointer ?? {
      x: (frame?.left ?? 0) + (frame?.width ?? 0) / 2,
      y: (frame?.top ?? 0) + 80,
    },
  );
}
