/** Drawing lines: what fits is connected, what does not is refused with its reason, and a line that ends nowhere asks what to add. */
import type {
  Edge as AnyEdge,
  Connection,
  FinalConnectionState,
  IsValidConnection,
} from "@xyflow/react";
import { type RefObject, useMemo } from "react";
import {
  type ConnectionEnd,
  connectionProblem,
  edgeBetween,
  replacedEdges,
} from "../graph/connectionRules";
import { connect, disconnect } from "../graph/edges";
import { parseHandleId } from "../graph/geometry";
import { showHint, useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { openAddPanel } from "./commands";
import type { CanvasEdge } from "./flowModel";

const portsOf = (name: string) => useCanvas.getState().ports.get(name);

/** Less than this is a click. */
const CLICK_DISTANCE = 6;

export function useConnectHandlers(frame: RefObject<HTMLElement | null>) {
  return useMemo(() => {
    let start = { x: 0, y: 0 };
    return {
      isValidConnection: canConnect as IsValidConnection<CanvasEdge>,
      onConnectStart: (event: MouseEvent | TouchEvent) => {
        start = pointOf(event);
        frame.current?.classList.add("connecting");
      },
      onConnect: (connection: Connection) => {
        const ends = endsOf(connection);
        if (ends) connectEnds(...ends);
      },
      onConnectEnd: (event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
        frame.current?.classList.remove("connecting");
        const at = pointOf(event);
        if (state.isValid || Math.hypot(at.x - start.x, at.y - start.y) < CLICK_DISTANCE) return;
        const from = endOf(state.fromNode?.id, state.fromHandle?.id);
        if (from) endConnection(from, at, endOf(state.toNode?.id, state.toHandle?.id));
      },
      onReconnect: (old: CanvasEdge, connection: Connection) => {
        const ends = endsOf(connection);
        if (ends && old.data) {
          const { edge } = old.data;
          useEditor.getState().change("Reconnect", (document) => {
            const added = edgeBetween(...ends);
            if (!added) return document;
            const free = disconnect(document, edge);
            return connect(disconnect(free, ...replacedEdges(free, portsOf, added)), added);
          });
        }
      },
    };
  }, [frame]);
}

/** A line was let go where it cannot end: on a port that does not fit, on a node, or on the empty canvas. */
function endConnection(
  from: ConnectionEnd,
  at: { x: number; y: number },
  to: ConnectionEnd | null,
) {
  const { workflow } = useEditor.getState();
  if (to) {
    showHint(
      connectionProblem(workflow, portsOf, from, to) ?? "These nodes cannot be connected.",
      at,
    );
    return;
  }
  const under = document
    .elementsFromPoint(at.x, at.y)
    .find((element) => element.classList.contains("react-flow__node"));
  const name = under?.getAttribute("data-id");
  if (name && portsOf(name)) {
    const ends = matchingEnds(name, from);
    const fitting = ends.find((end) => connectionProblem(workflow, portsOf, from, end) === null);
    if (fitting) connectEnds(from, fitting);
    else if (name !== from.node)
      showHint(
        connectionProblem(workflow, portsOf, from, ends[0] ?? anyEnd(name, from)) ??
          `No compatible port on “${name}”.`,
        at,
      );
    return;
  }
  const place = useCanvas.getState().flow?.screenToFlowPosition(at);
  openAddPanel(place ? { from, at: place } : { from });
}

function matchingEnds(name: string, from: ConnectionEnd): ConnectionEnd[] {
  const ports = portsOf(name);
  const side = from.side === "output" ? "input" : "output";
  const list = (side === "input" ? ports?.inputs : ports?.outputs) ?? [];
  return list.map((port) => ({ node: name, side, kind: port.kind, index: port.index }));
}

function anyEnd(name: string, from: ConnectionEnd): ConnectionEnd {
  return { node: name, side: from.side, kind: from.kind, index: 0 };
}

/** Connects two ends; a port that takes only one connection lets its earlier one go. */
export function connectEnds(one: ConnectionEnd, other: ConnectionEnd) {
  useEditor.getState().change("Connect", (document) => {
    const edge = edgeBetween(one, other);
    if (!edge || connectionProblem(document, portsOf, one, other) !== null) return document;
    return connect(disconnect(document, ...replacedEdges(document, portsOf, edge)), edge);
  });
}

function canConnect(connection: Connection | AnyEdge): boolean {
  const ends = endsOf(connection as Connection);
  if (!ends) return false;
  return connectionProblem(useEditor.getState().workflow, portsOf, ...ends) === null;
}

function endsOf(connection: Connection): [ConnectionEnd, ConnectionEnd] | null {
  const from = endOf(connection.source, connection.sourceHandle);
  const to = endOf(connection.target, connection.targetHandle);
  return from && to ? [from, to] : null;
}

function endOf(node: string | undefined, handle: string | null | undefined): ConnectionEnd | null {
  const port = parseHandleId(handle);
  return node && port ? { node, ...port } : null;
}

function pointOf(event: MouseEvent | TouchEvent): { x: number; y: number } {
  const point = "changedTouches" in event ? event.changedTouches[0] : event;
  return { x: point?.clientX ?? 0, y: point?.clientY ?? 0 };
}
