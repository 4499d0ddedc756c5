/** Moving the view: to all there is, to one node, nearer and farther, and so that what one looks at is not lost when the canvas gets smaller. */
import { getViewportForBounds, type Viewport } from "@xyflow/react";
import type { WorkflowNode } from "../api/workflowDocument";
import { findNode, STICKY_NOTE, withSubNodes } from "../graph/document";
import { edgesOf } from "../graph/edges";
import { noteSize, occupiedBox, type Point, type Size, toCanvas } from "../graph/geometry";
import { type Ports, portsOf } from "../graph/ports";
import { type Box, boxAround, covers, scrollToShow, visibleBox } from "../graph/viewRegion";
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";

export const MIN_ZOOM = 0.08;
export const MAX_ZOOM = 2;
const ANIMATION_MS = 180;
/** A canvas less wide than this is that of a phone. */
const PHONE_WIDTH = 560;
const PHONE_ZOOM = 0.6;
const PHONE_MARGIN = 24;
/** Room around what is shown: more below, where the buttons are. */
export const FIT_PADDING = { top: "48px", left: "64px", right: "64px", bottom: "72px" } as const;

/** How long the view takes to move; nothing moves for those who asked for that. */
export function animationDuration(): number {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : ANIMATION_MS;
}

/** The box around these nodes with what is written below them. */
export function nodesBounds(names: Iterable<string>): Box | null {
  const { workflow } = useEditor.getState();
  return boxAround([...names].flatMap((name) => nodeBounds(findNode(workflow, name)) ?? []));
}

function nodeBounds(node: WorkflowNode | undefined): Box | null {
  if (!node) return null;
  if (node.type === STICKY_NOTE) return { ...toCanvas(node.position), ...noteSize(node) };
  const ports = portsOfNode(node);
  const corner = toCanvas(node.position);
  const box = occupiedBox(ports);
  return { ...box, x: corner.x + box.x, y: corner.y + box.y };
}

/** A node that has just been added is in the document before it is drawn. */
function portsOfNode(node: WorkflowNode): Ports {
  const { ports, types } = useCanvas.getState();
  const { workflow } = useEditor.getState();
  const touching = () =>
    edgesOf(workflow).filter((edge) => edge.from === node.name || edge.to === node.name);
  return ports.get(node.name) ?? portsOf(node, types, touching());
}

function frameSize(): Size | null {
  const frame = document.querySelector("[data-canvas]");
  return frame && { width: frame.clientWidth, height: frame.clientHeight };
}

/** The middle of what is in sight. */
export function viewCenter(): Point {
  const frame = document.querySelector("[data-canvas]")?.getBoundingClientRect();
  const { flow } = useCanvas.getState();
  if (!frame || !flow) return { x: 0, y: 0 };
  return flow.screenToFlowPosition({
    x: frame.left + frame.width / 2,
    y: frame.top + frame.height / 2,
  });
}

export function fitView() {
  fitViewWithin(animationDuration());
}

function fitViewWithin(duration: number) {
  const { flow } = useCanvas.getState();
  const frame = frameSize();
  const box = allNodesBounds();
  if (!flow || !frame || !box) return;
  const fitting = getViewportForBounds(box, frame.width, frame.height, MIN_ZOOM, 1, FIT_PADDING);
  const isPhone = frame.width < PHONE_WIDTH;
  void flow.setViewport(isPhone && fitting.zoom < PHONE_ZOOM ? beginningOf(box, frame) : fitting, {
    duration,
  });
}

/** On a phone all of a workflow would be too small to see anything, so its beginning is shown. */
function beginningOf(all: Box, frame: Size): Viewport {
  const { workflow } = useEditor.getState();
  const steps = workflow.nodes.filter((node) => node.type !== STICKY_NOTE);
  const first = steps.reduce<WorkflowNode | undefined>(
    (least, node) => (!least || node.position[0] < least.position[0] ? node : least),
    undefined,
  );
  const from = nodeBounds(first) ?? all;
  return {
    x: PHONE_MARGIN - from.x * PHONE_ZOOM,
    y: frame.height / 2 - (from.y + from.height / 2) * PHONE_ZOOM,
    zoom: PHONE_ZOOM,
  };
}

export function isPhoneCanvas(): boolean {
  return (frameSize()?.width ?? PHONE_WIDTH) < PHONE_WIDTH;
}

function allNodesBounds(): Box | null {
  return nodesBounds(useEditor.getState().workflow.nodes.map((node) => node.name));
}

export function zoomView(by: "in" | "out" | "reset") {
  const { flow } = useCanvas.getState();
  if (by === "reset") void flow?.zoomTo(1, { duration: animationDuration() });
  else if (by === "in") void flow?.zoomIn({ duration: animationDuration() });
  else void flow?.zoomOut({ duration: animationDuration() });
}

/** Moves the view only if the node is not in sight already: a view that jumps is worse than a node at the edge. */
export function revealNode(name: string) {
  const { flow } = useCanvas.getState();
  const box = nodesBounds([name]);
  const frame = frameSize();
  if (!flow || !box || !frame) return;
  const { x, y, zoom } = flow.getViewport();
  const view = visibleBox([x, y, zoom], frame);
  const margin = { width: 30 / zoom, height: 48 / zoom };
  const around = {
    x: box.x - margin.width,
    y: box.y - margin.height,
    width: box.width + 60 / zoom,
    height: box.height + 96 / zoom,
  };
  if (covers(view, around)) return;
  const nearer = Math.max(zoom, 0.6);
  void flow.setCenter(box.x + box.width / 2, box.y + box.height / 2, {
    zoom: nearer,
    duration: animationDuration(),
  });
}

/**
 * The canvas has got smaller, because the drawer or a panel has opened: what was chosen stays in sight with its sub-nodes and, while
 * nothing is chosen, so does all that was in sight as a whole.
 */
export function keepSelectionVisible(before: Size, after: Size) {
  const { flow } = useCanvas.getState();
  const { selection, workflow } = useEditor.getState();
  if (!flow || after.width === 0 || after.height === 0) return;
  const { x, y, zoom } = flow.getViewport();
  const seen = visibleBox([x, y, zoom], before);
  const chosen = nodesBounds(withSubNodes(workflow, selection));
  if (chosen && selection.size > 0) {
    if (!covers(seen, chosen)) return;
    const start = scrollToShow(visibleBox([x, y, zoom], after), chosen, {
      width: 24 / zoom,
      height: 24 / zoom,
    });
    const moved: Viewport = { x: -start.x * zoom, y: -start.y * zoom, zoom };
    if (moved.x !== x || moved.y !== y) void flow.setViewport(moved);
    return;
  }
  const all = allNodesBounds();
  if (all && covers(seen, all) && !covers(visibleBox([x, y, zoom], after), all)) fitViewWithin(0);
}
