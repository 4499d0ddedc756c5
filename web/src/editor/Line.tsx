/** Connections on the canvas: items as a solid line, supplies dashed; with the number of items after a run and buttons while pointed at. */
import { BaseEdge, EdgeLabelRenderer, type EdgeProps } from "@xyflow/react";
import { Plus, X } from "lucide-react";
import { memo, useRef, useState } from "react";
import { disconnect } from "../graph/edges";
import { flowRoute, type Route, supplyRoute } from "../graph/route";
import type { Edge } from "../graph/types";
import { carriedBy, type RunView } from "../run/view";
import { count, cx, plural } from "../ui";
import { useCanvas } from "./canvas";
import { openAdd } from "./commands";
import type { CanvasEdge } from "./flow";
import css from "./Line.module.css";
import { useEditor } from "./store";

export const FlowLine = memo(function FlowLine(props: EdgeProps<CanvasEdge>) {
  const { sourceX, sourceY, targetX, targetY, data } = props;
  const below = Math.max(sourceY, targetY) + (data?.below ?? 0);
  return <Line {...props} route={flowRoute({ x: sourceX, y: sourceY }, { x: targetX, y: targetY }, below)} />;
});

export const SupplyLine = memo(function SupplyLine(props: EdgeProps<CanvasEdge>) {
  const { sourceX, sourceY, targetX, targetY } = props;
  return <Line {...props} route={supplyRoute({ x: sourceX, y: sourceY }, { x: targetX, y: targetY })} />;
});

/** The buttons stay this long after the pointer has left, so that one can get to them. */
const LINGER_MS = 180;

function Line({ id, data, selected, type, route }: EdgeProps<CanvasEdge> & { route: Route }) {
  const edge = data?.edge as Edge;
  const [isPointedAt, setPointedAt] = useState(false);
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isDrop = useCanvas((state) => state.dropEdge === id);
  const change = useCanvas((state) => state.difference?.edges.get(id));
  const carried = useEditor((state) => carriedBy(state.run, edge));
  const isActive = useEditor((state) => isMoving(state.run, edge));
  const liveRun = useEditor((state) => (state.run?.source === "live" ? state.run.executionId : null));
  const isReadOnly = useEditor((state) => state.readOnly);
  const isError = useCanvas((state) =>
    state.ports.get(edge.from)?.outputs.some((port) => port.isError && port.index === edge.output && port.kind === edge.kind),
  );
  const enter = () => {
    clearTimeout(leaving.current);
    setPointedAt(true);
  };
  const leave = () => {
    leaving.current = setTimeout(() => setPointedAt(false), LINGER_MS);
  };
  const isOnly = useEditor((state) => state.selectedEdges.size === 1 && state.selection.size === 0);
  const showButtons = !isReadOnly && (isPointedAt || (selected && isOnly));
  return (
    <g onPointerEnter={enter} onPointerLeave={leave}>
      <BaseEdge
        id={id}
        path={route.path}
        interactionWidth={18}
        className={cx(
          css.line,
          type === "supply" && css.supply,
          isError && css.error,
          carried !== null && css.passed,
          isActive && css.active,
          selected && css.selected,
          isDrop && css.drop,
          change === "added" && css.added,
          change === "removed" && css.removed,
        )}
      />
      {liveRun !== null && carried !== null && <Parcel key={carried} path={route.path} passing={`${liveRun} ${id} ${carried}`} />}
      {(showButtons || carried !== null) && (
        <EdgeLabelRenderer>
          <div
            className={`${css.label} nodrag nopan`}
            style={{ transform: `translate(-50%, -50%) translate(${route.label.x}px, ${route.label.y}px)` }}
            onPointerEnter={enter}
            onPointerLeave={leave}
          >
            {showButtons ? (
              <LineButtons edge={edge} isSupply={type === "supply"} />
            ) : (
              <Chip carried={carried ?? 0} isSupply={type === "supply"} />
            )}
          </div>
        </EdgeLabelRenderer>
      )}
    </g>
  );
}

/** What has been seen passing; a line that is drawn anew does not show it again. */
const seen = new Set<string>();
const MOST_SEEN = 5000;

/** Data that moves along the line once. */
function Parcel({ path, passing }: { path: string; passing: string }) {
  const [isNew] = useState(() => {
    if (seen.has(passing)) return false;
    if (seen.size > MOST_SEEN) seen.clear();
    seen.add(passing);
    return true;
  });
  return isNew && <circle r={4} className={css.parcel} style={{ offsetPath: `path("${path}")` }} />;
}

function Chip({ carried, isSupply }: { carried: number; isSupply: boolean }) {
  const words = isSupply ? plural(carried, "call", "calls") : plural(carried, "item", "items");
  return <span className={css.chip}>{words.replace(String(carried), count(carried))}</span>;
}

function LineButtons({ edge, isSupply }: { edge: Edge; isSupply: boolean }) {
  return (
    <span className={css.buttons}>
      {!isSupply && (
        <button type="button" aria-label={`Add a node between ${edge.from} and ${edge.to}`} onClick={() => openAdd({ edge })}>
          <Plus size={13} strokeWidth={2.25} aria-hidden />
        </button>
      )}
      <button
        type="button"
        aria-label={`Remove the connection from ${edge.from} to ${edge.to}`}
        onClick={() => useEditor.getState().change("Disconnect", (document) => disconnect(document, edge))}
      >
        <X size={13} strokeWidth={2.25} aria-hidden />
      </button>
    </span>
  );
}

function isMoving(run: RunView | null, edge: Edge): boolean {
  return run?.source === "live" && run.nodes.get(edge.to)?.at(-1)?.status === "running" && carriedBy(run, edge) !== null;
}
