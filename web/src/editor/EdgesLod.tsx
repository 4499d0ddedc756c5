/** All edges of a large document at a low level of detail: a handful of paths instead of a thousand elements. */
import { ViewportPortal } from "@xyflow/react";
import { memo, useMemo, useState } from "react";
import type { ChangeKind } from "../graph/documentDiff";
import { flowRoute, subNodeRoute } from "../graph/edgeRoute";
import { itemsCarried, type RunView } from "../run/runView";
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import css from "./EdgesLod.module.css";
import type { CanvasEdge, CanvasNode } from "./flowModel";

type EdgeStyle = "plain" | "supply" | "passed" | "added" | "removed" | "selected";
const EDGE_STYLES: readonly EdgeStyle[] = [
  "plain",
  "supply",
  "passed",
  "added",
  "removed",
  "selected",
];

interface EdgesLodProps {
  nodes: readonly CanvasNode[];
  edges: readonly CanvasEdge[];
}

/** Lines of nodes that are being dragged are drawn apart, so that the many others stay as they are. */
export function EdgesLod({ nodes, edges }: EdgesLodProps) {
  const resting = useStableList(nodes.filter((node) => !node.dragging));
  const moving = useMemo(
    () => new Set(nodes.filter((node) => node.dragging).map((node) => node.id)),
    [nodes],
  );
  const touches = (edge: CanvasEdge) => moving.has(edge.source) || moving.has(edge.target);
  const still = useStableList(moving.size === 0 ? edges : edges.filter((edge) => !touches(edge)));
  return (
    <ViewportPortal>
      <svg className={css.lines} aria-hidden>
        <EdgePaths nodes={resting} edges={still} />
        {moving.size > 0 && <EdgePaths nodes={nodes} edges={edges.filter(touches)} />}
      </svg>
    </ViewportPortal>
  );
}

/** The list as it was before, if all in it is the same. */
function useStableList<T>(list: readonly T[]): readonly T[] {
  const [kept, keep] = useState(list);
  if (
    kept === list ||
    (kept.length === list.length && kept.every((one, index) => one === list[index]))
  )
    return kept;
  keep(list);
  return list;
}

const EdgePaths = memo(function EdgePaths({ nodes, edges }: EdgesLodProps) {
  const run = useEditor((state) => state.run);
  const selected = useEditor((state) => state.selectedEdges);
  const difference = useCanvas((state) => state.difference);
  const paths = useMemo(() => {
    const byName = new Map(nodes.map((node) => [node.id, node]));
    const found = new Map<EdgeStyle, string[]>(EDGE_STYLES.map((look) => [look, []]));
    for (const edge of edges) {
      const path = edgePath(edge, byName);
      if (path && edge.data)
        found
          .get(edgeStyle(edge, selected.has(edge.id), difference?.edges.get(edge.id), run))
          ?.push(path);
    }
    return found;
  }, [nodes, edges, run, selected, difference]);
  return EDGE_STYLES.map((look) => (
    <path key={look} className={css[look]} d={paths.get(look)?.join("")} />
  ));
});

function edgeStyle(
  edge: CanvasEdge,
  isSelected: boolean,
  change: ChangeKind | undefined,
  run: RunView | null,
): EdgeStyle {
  if (isSelected) return "selected";
  if (change === "added" || change === "removed") return change;
  if (edge.data && itemsCarried(run, edge.data.edge) !== null) return "passed";
  return edge.type === "supply" ? "supply" : "plain";
}

function edgePath(edge: CanvasEdge, nodes: ReadonlyMap<string, CanvasNode>): string | null {
  const from = handlePoint(nodes.get(edge.source), edge.sourceHandle);
  const to = handlePoint(nodes.get(edge.target), edge.targetHandle);
  if (!from || !to) return null;
  if (edge.type === "supply") return subNodeRoute(from, to).path;
  return flowRoute(from, to, Math.max(from.y, to.y) + (edge.data?.below ?? 0)).path;
}

function handlePoint(node: CanvasNode | undefined, handle: string | null | undefined) {
  const port = node?.handles?.find((one) => one.id === handle);
  if (!node || !port) return null;
  return {
    x: node.position.x + port.x + (port.width ?? 0) / 2,
    y: node.position.y + port.y + (port.height ?? 0) / 2,
  };
}
