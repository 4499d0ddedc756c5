/** Drawing lines: what fits is connected, what does not is refused with its reason, and a line that ends nowhere asks what to add. */
import type { Edge as AnyEdge, Connection, FinalConnectionState, IsValidConnection } from "@xyflow/react";
import { type RefObject, useMemo } from "react";
import { connect, disconnect } from "../graph/edges";
import { portOfHandle } from "../graph/geometry";
import { type End, edgeBetween, refuse, replaced } from "../graph/rules";
import { tell, useCanvas } from "./canvas";
import { openAdd } from "./commands";
import type { CanvasEdge } from "./flow";
import { useEditor } from "./store";

const portsOf = (name: string) => useCanvas.getState().ports.get(name);

/** Less than this is a click. */
const CLICK = 6;

export function useConnecting(frame: RefObject<HTMLElement | null>) {
  return useMemo(() => {
    let start = { x: 0, y: 0 };
    return {
      isValidConnection: isValid as IsValidConnection<CanvasEdge>,
      onConnectStart: (event: MouseEvent | TouchEvent) => {
        start = pointOf(event);
        frame.current?.classList.add("connecting");
      },
      onConnect: (connection: Connection) => {
        const ends = endsOf(connection);
        if (ends) join(...ends);
      },
      onConnectEnd: (event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
        frame.current?.classList.remove("connecting");
        const at = pointOf(event);
        if (state.isValid || Math.hypot(at.x - start.x, at.y - start.y) < CLICK) return;
        const from = endOf(state.fromNode?.id, state.fromHandle?.id);
        if (from) finish(from, at, endOf(state.toNode?.id, state.toHandle?.id));
      },
      onReconnect: (old: CanvasEdge, connection: Connection) => {
        const ends = endsOf(connection);
        if (ends && old.data) {
          const { edge } = old.data;
          useEditor.getState().change("Reconnect", (document) => {
            const added = edgeBetween(...ends);
            if (!added) return document;
            const free = disconnect(document, edge);
            return connect(disconnect(free, ...replaced(free, portsOf, added)), added);
          });
        }
      },
    };
  }, [frame]);
}

/** A line was let go where it cannot end: on a port that does not fit, on a node, or on the empty canvas. */
function finish(from: End, at: { x: number; y: number }, to: End | null) {
  const { workflow } = useEditor.getState();
  if (to) {
    tell(refuse(workflow, portsOf, from, to) ?? "These two cannot be connected.", at);
    return;
  }
  const under = document.elementsFromPoint(at.x, at.y).find((element) => element.classList.contains("react-flow__node"));
  const name = under?.getAttribute("data-id");
  if (name && portsOf(name)) {
    const ends = endsOn(name, from);
    const fitting = ends.find((end) => refuse(workflow, portsOf, from, end) === null);
    if (fitting) join(from, fitting);
    else if (name !== from.node)
      tell(refuse(workflow, portsOf, from, ends[0] ?? anyEnd(name, from)) ?? `Nothing on “${name}” fits.`, at);
    return;
  }
  const place = useCanvas.getState().flow?.screenToFlowPosition(at);
  openAdd(place ? { from, at: place } : { from });
}

function endsOn(name: string, from: End): End[] {
  const ports = portsOf(name);
  const side = from.side === "output" ? "input" : "output";
  const list = (side === "input" ? ports?.inputs : ports?.outputs) ?? [];
  return list.map((port) => ({ node: name, side, kind: port.kind, index: port.index }));
}

function anyEnd(name: string, from: End): End {
  return { node: name, side: from.side, kind: from.kind, index: 0 };
}

/** Connects two ends; a port that takes only one connection lets its earlier one go. */
export function join(one: End, other: End) {
  useEditor.getState().change("Connect", (document) => {
    const edge = edgeBetween(one, other);
    if (!edge || refuse(document, portsOf, one, other) !== null) return document;
    return connect(disconnect(document, ...replaced(document, portsOf, edge)), edge);
  });
}

function isValid(connection: Connection | AnyEdge): boolean {
  const ends = endsOf(connection as Connection);
  if (!ends) return false;
  return refuse(useEditor.getState().workflow, portsOf, ...ends) === null;
}

function endsOf(connection: Connection): [End, End] | null {
  const from = endOf(connection.source, connection.sourceHandle);
  const to = endOf(connection.target, connection.targetHandle);
  return from && to ? [from, to] : null;
}

function endOf(node: string | undefined, handle: string | null | undefined): End | null {
  const port = portOfHandle(handle);
  return node && port ? { node, ...port } : null;
}

function pointOf(event: MouseEvent | TouchEvent): { x: number; y: number } {
  const point = "changedTouches" in event ? event.changedTouches[0] : event;
  return { x: point?.clientX ?? 0, y: point?.clientY ?? 0 };
}
