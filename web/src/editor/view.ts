/** Moving the view: to all there is, to one node, nearer and farther, and so that what one looks at is not lost when the canvas gets smaller. */
import { getViewportForBounds, type Viewport } from "@xyflow/react";
import { nodeOf, STICKY_NOTE, withSubNodes } from "../graph/document";
import { noteSize, type Point, type Size, sizeOf, toCanvas } from "../graph/geometry";
import { type Box, boxAround, covers, movedToShow, viewOf } from "../graph/region";
import type { WorkflowNode } from "../graph/types";
import { useCanvas } from "./canvas";
import { useEditor } from "./store";

export const LEAST_ZOOM = 0.08;
export const MOST_ZOOM = 2;
const CALM_MS = 180;
/** The name of a sub-node stands below it. */
const LABEL = 40;
/** Room around what is shown: more below, where the buttons are. */
export const ROOM = { top: "48px", left: "64px", right: "64px", bottom: "72px" } as const;

/** How long the view takes to move; nothing moves for those who asked for that. */
export function calm(): number {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : CALM_MS;
}

/** The box around these nodes with what is written below them. */
export function boxOfNodes(names: Iterable<string>): Box | null {
  const { workflow } = useEditor.getState();
  return boxAround([...names].flatMap((name) => boxOf(nodeOf(workflow, name)) ?? []));
}

function boxOf(node: WorkflowNode | undefined): Box | null {
  if (!node) return null;
  if (node.type === STICKY_NOTE) return { ...toCanvas(node.position), ...noteSize(node) };
  const ports = useCanvas.getState().ports.get(node.name);
  if (!ports) return null;
  const isCircle = ports.shape === "circle";
  const { width, height } = sizeOf(ports);
  return { ...toCanvas(node.position, isCircle), width, height: height + (isCircle ? LABEL : 0) };
}

function frameSize(): Size | null {
  const frame = document.querySelector("[data-canvas]");
  return frame && { width: frame.clientWidth, height: frame.clientHeight };
}

/** The middle of what is in sight. */
export function middle(): Point {
  const frame = document.querySelector("[data-canvas]")?.getBoundingClientRect();
  const { flow } = useCanvas.getState();
  if (!frame || !flow) return { x: 0, y: 0 };
  return flow.screenToFlowPosition({ x: frame.left + frame.width / 2, y: frame.top + frame.height / 2 });
}

export function fit() {
  fitWithin(calm());
}

function fitWithin(duration: number) {
  const { flow } = useCanvas.getState();
  const frame = frameSize();
  const box = everything();
  if (flow && frame && box) {
    void flow.setViewport(getViewportForBounds(box, frame.width, frame.height, LEAST_ZOOM, 1, ROOM), { duration });
  }
}

function everything(): Box | null {
  return boxOfNodes(useEditor.getState().workflow.nodes.map((node) => node.name));
}

export function zoom(by: "in" | "out" | "reset") {
  const { flow } = useCanvas.getState();
  if (by === "reset") void flow?.zoomTo(1, { duration: calm() });
  else if (by === "in") void flow?.zoomIn({ duration: calm() });
  else void flow?.zoomOut({ duration: calm() });
}

/** Moves the view only if the node is not in sight already: a view that jumps is worse than a node at the edge. */
export function bringIntoSight(name: string) {
  const { flow } = useCanvas.getState();
  const box = boxOfNodes([name]);
  const frame = frameSize();
  if (!flow || !box || !frame) return;
  const { x, y, zoom } = flow.getViewport();
  const view = viewOf([x, y, zoom], frame);
  const margin = { width: 30 / zoom, height: 48 / zoom };
  const around = {
    x: box.x - margin.width,
    y: box.y - margin.height,
    width: box.width + 60 / zoom,
    height: box.height + 96 / zoom,
  };
  if (covers(view, around)) return;
  const nearer = Math.max(zoom, 0.6);
  void flow.setCenter(box.x + box.width / 2, box.y + box.height / 2, { zoom: nearer, duration: calm() });
}

/**
 * The canvas has got smaller, because the drawer or a panel has opened: what was chosen stays in sight with its sub-nodes and, while
 * nothing is chosen, so does all that was in sight as a whole.
 */
export function keepInSight(before: Size, after: Size) {
  const { flow } = useCanvas.getState();
  const { selection, workflow } = useEditor.getState();
  if (!flow || after.width === 0 || after.height === 0) return;
  const { x, y, zoom } = flow.getViewport();
  const seen = viewOf([x, y, zoom], before);
  const chosen = boxOfNodes(withSubNodes(workflow, selection));
  if (chosen && selection.size > 0) {
    if (!covers(seen, chosen)) return;
    const start = movedToShow(viewOf([x, y, zoom], after), chosen, { width: 24 / zoom, height: 24 / zoom });
    const moved: Viewport = { x: -start.x * zoom, y: -start.y * zoom, zoom };
    if (moved.x !== x || moved.y !== y) void flow.setViewport(moved);
    return;
  }
  const all = everything();
  if (all && covers(seen, all) && !covers(viewOf([x, y, zoom], after), all)) fitWithin(0);
}
