/** Connections on the canvas: items as a solid line, supplies dashed; with the number of items after a run and buttons while pointed at. */
import { BaseEdge, EdgeLabelRenderer, type EdgeProps } from "@xyflow/react";
import { Plus, X } from "lucide-react";
import { memo, useRef, useState } from "react";
import type { Edge } from "../api/workflowDocument";
import { flowRoute, type Route, subNodeRoute } from "../graph/edgeRoute";
import { disconnect } from "../graph/edges";
import { itemsCarried, type RunView } from "../run/runView";
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { count, cx, plural } from "../ui";
import { openAddPanel } from "./commands";
import css from "./Edge.module.css";
import type { CanvasEdge } from "./flowModel";

export const FlowEdge = memo(function FlowEdge(props: EdgeProps<CanvasEdge>) {
  const { sourceX, sourceY, targetX, targetY, data } = props;
  const below = Math.max(sourceY, targetY) + (data?.below ?? 0);
  return (
    <EdgeView
      {...props}
      route={flowRoute({ x: sourceX, y: sourceY }, { x: targetX, y: targetY }, below)}
    />
  );
});

export const SubNodeEdge = memo(function SubNodeEdge(props: EdgeProps<CanvasEdge>) {
  const { sourceX, sourceY, targetX, targetY } = props;
  return (
    <EdgeView
      {...props}
      route={subNodeRoute({ x: sourceX, y: sourceY }, { x: targetX, y: targetY })}
    />
  );
});

/** The buttons stay this long after the pointer has left, so that one can get to them. */
const LINGER_MS = 180;

function EdgeView({ id, data, selected, type, route }: EdgeProps<CanvasEdge> & { route: Route }) {
  const edge = data?.edge as Edge;
  const [isPointedAt, setPointedAt] = useState(false);
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isDrop = useCanvas((state) => state.dropEdge === id);
  const change = useCanvas((state) => state.difference?.edges.get(id));
  const carried = useEditor((state) => itemsCarried(state.run, edge));
  const isActive = useEditor((state) => isEdgeActive(state.run, edge));
  const liveRun = useEditor((state) =>
    state.run?.source === "live" ? state.run.executionId : null,
  );
  const isReadOnly = useEditor((state) => state.readOnly);
  const isError = useCanvas((state) =>
    state.ports
      .get(edge.from)
      ?.outputs.some(
        (port) => port.isError && port.index === edge.output && port.kind === edge.kind,
      ),
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
      {liveRun !== null && carried !== null && (
        <MovingItem key={carried} path={route.path} passing={`${liveRun} ${id} ${carried}`} />
      )}
      {(showButtons || carried !== null) && (
        <EdgeLabelRenderer>
          <div
            className={`${css.label} nodrag nopan`}
            style={{
              transform: `translate(-50%, -50%) translate(${route.label.x}px, ${route.label.y}px)`,
            }}
            onPointerEnter={enter}
            onPointerLeave={leave}
          >
            {showButtons ? (
              <EdgeButtons edge={edge} isSupply={type === "supply"} />
            ) : (
              <CountChip carried={carried ?? 0} isSupply={type === "supply"} />
            )}
          </div>
        </EdgeLabelRenderer>
      )}
    </g>
  );
}

/** What has been seen passing; a line that is drawn anew does not show it again. */
const seen = new Set<string>();
const MAX_SEEN = 5000;

/** Data that moves along the line once. */
function MovingItem({ path, passing }: { path: string; passing: string }) {
  const [isNew] = useState(() => {
    if (seen.has(passing)) return false;
    if (seen.size > MAX_SEEN) seen.clear();
    seen.add(passing);
    return true;
  });
  return isNew && <circle r={4} className={css.parcel} style={{ offsetPath: `path("${path}")` }} />;
}

function CountChip({ carried, isSupply }: { carried: number; isSupply: boolean }) {
  const words = isSupply ? plural(carried, "call", "calls") : plural(carried, "item", "items");
  return <span className={css.chip}>{words.replace(String(carried), count(carried))}</span>;
}

function EdgeButtons({ edge, isSupply }: { edge: Edge; isSupply: boolean }) {
  return (
    <span className={css.buttons}>
      {!isSupply && (
        <button
          type="button"
          aria-label={`Add node between ${edge.from} and ${edge.to}`}
          onClick={() => openAddPanel({ edge })}
        >
          <Plus size={13} strokeWidth={2.25} aria-hidden />
        </button>
      )}
      <button
        type="button"
        aria-label={`Delete connection from ${edge.from} to ${edge.to}`}
        onClick={() =>
          useEditor.getState().change("Disconnect", (document) => disconnect(document, edge))
        }
      >
        <X size={13} strokeWidth={2.25} aria-hidden />
      </button>
    </span>
  );
}

function isEdgeActive(run: RunView | null, edge: Edge): boolean {
  return (
    run?.source === "live" &&
    run.nodes.get(edge.to)?.at(-1)?.status === "running" &&
    itemsCarried(run, edge) !== null
  );
}
