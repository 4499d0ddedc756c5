/** Moving nodes: sub-nodes go along with the node they serve, and a node that is let go on a line is put into it. */
import type { OnNodeDrag } from "@xyflow/react";
import { type Dispatch, type SetStateAction, useMemo } from "react";
import { findNode, moveNodes, withSubNodes } from "../graph/document";
import { edgesOf, MAIN, parseEdgeKey } from "../graph/edges";
import { type Point, toCanvas, toDocument } from "../graph/geometry";
import { NODE_GAP, splitEdge } from "../graph/insertNode";
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { type CanvasNode, withPosition } from "./flowModel";

export function useNodeDrag(setNodes: Dispatch<SetStateAction<CanvasNode[]>>) {
  return useMemo(() => {
    let followers = new Map<string, Point>();
    let start: Point = { x: 0, y: 0 };
    let canSplit = false;
    const begin: OnNodeDrag<CanvasNode> = (event, node, nodes) => {
      const { workflow } = useEditor.getState();
      const dragged = new Set(nodes.map((one) => one.id));
      start = { ...node.position };
      followers = new Map();
      // With Alt held a node is taken away from its sub-nodes.
      if (!event.altKey) {
        for (const name of withSubNodes(workflow, dragged)) {
          const below = dragged.has(name) ? undefined : findNode(workflow, name);
          if (below) followers.set(name, toCanvas(below.position));
        }
      }
      canSplit = nodes.length === 1 && !isInFlow(node.id);
    };
    const follow: OnNodeDrag<CanvasNode> = (event, node, nodes) => {
      const by = { x: node.position.x - start.x, y: node.position.y - start.y };
      if (followers.size > 0) {
        setNodes((before) =>
          before.map((one) => {
            const from = followers.get(one.id);
            return from
              ? withPosition({ ...one, dragging: true } as CanvasNode, {
                  x: from.x + by.x,
                  y: from.y + by.y,
                })
              : one;
          }),
        );
      }
      if (canSplit && nodes.length === 1) markDropEdge(edgeUnder(event, node));
    };
    const end: OnNodeDrag<CanvasNode> = (_, node, nodes) => {
      const by = { x: node.position.x - start.x, y: node.position.y - start.y };
      const { dropEdge, types } = useCanvas.getState();
      markDropEdge(null);
      const places = new Map<string, readonly [number, number]>();
      for (const one of nodes) places.set(one.id, toDocument(one.position));
      for (const [name, from] of followers)
        places.set(name, toDocument({ x: from.x + by.x, y: from.y + by.y }));
      if (followers.size > 0) {
        const followed = followers;
        setNodes((before) =>
          before.map((one) =>
            followed.has(one.id) ? ({ ...one, dragging: false } as CanvasNode) : one,
          ),
        );
      }
      followers = new Map();
      if (by.x === 0 && by.y === 0) return;
      useEditor.getState().change(`Move ${node.id} ${Date.now()}`, (document) => {
        const moved = moveNodes(document, places);
        return dropEdge
          ? splitEdge(
              moved,
              types,
              parseEdgeKey(dropEdge),
              node.id,
              (node.width ?? 0) + NODE_GAP / 2,
            )
          : moved;
      });
    };
    return {
      onNodeDragStart: begin,
      onNodeDrag: follow,
      onNodeDragStop: end,
      onSelectionDragStart: (event: React.MouseEvent, nodes: CanvasNode[]) =>
        nodes[0] && begin(event.nativeEvent, nodes[0], nodes),
      onSelectionDrag: (event: React.MouseEvent, nodes: CanvasNode[]) =>
        nodes[0] && follow(event.nativeEvent, nodes[0], nodes),
      onSelectionDragStop: (event: React.MouseEvent, nodes: CanvasNode[]) =>
        nodes[0] && end(event.nativeEvent, nodes[0], nodes),
    };
  }, [setNodes]);
}

/** A node that has items coming or going already is not put into another line. */
function isInFlow(name: string): boolean {
  const ports = useCanvas.getState().ports.get(name);
  if (!ports?.inputs.some((port) => port.kind === MAIN)) return true;
  return edgesOf(useEditor.getState().workflow).some(
    (edge) => edge.kind === MAIN && (edge.from === name || edge.to === name),
  );
}

/** The line under the pointer or, where the node was grabbed at its edge, under its middle. */
function edgeUnder(event: MouseEvent | TouchEvent, node: CanvasNode): string | null {
  const pointed = "clientX" in event ? edgeKeyAt({ x: event.clientX, y: event.clientY }) : null;
  if (pointed) return pointed;
  const middle = {
    x: node.position.x + (node.width ?? 0) / 2,
    y: node.position.y + (node.height ?? 0) / 2,
  };
  const at = useCanvas.getState().flow?.flowToScreenPosition(middle);
  return at ? edgeKeyAt(at) : null;
}

/** The key of the line for items at a point of the window, whatever lies over it. */
export function edgeKeyAt(at: Point): string | null {
  for (const element of document.elementsFromPoint(at.x, at.y)) {
    const key = element.closest(".react-flow__edge")?.getAttribute("data-id");
    if (key && parseEdgeKey(key).kind === MAIN) return key;
  }
  return null;
}

export function markDropEdge(key: string | null) {
  if (useCanvas.getState().dropEdge !== key) useCanvas.setState({ dropEdge: key });
}
