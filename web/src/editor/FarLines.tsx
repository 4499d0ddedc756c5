/** All lines of a large document seen from far away, as a handful of paths instead of a thousand parts of the page. */
import { ViewportPortal } from "@xyflow/react";
import { memo, useMemo, useState } from "react";
import type { Change } from "../graph/diff";
import { flowRoute, supplyRoute } from "../graph/route";
import { carriedBy, type RunView } from "../run/view";
import { useCanvas } from "./canvas";
import css from "./FarLines.module.css";
import type { CanvasEdge, CanvasNode } from "./flow";
import { useEditor } from "./store";

type Look = "plain" | "supply" | "passed" | "added" | "removed" | "selected";
const LOOKS: readonly Look[] = ["plain", "supply", "passed", "added", "removed", "selected"];

interface FarLinesProps {
  nodes: readonly CanvasNode[];
  edges: readonly CanvasEdge[];
}

/** Lines of nodes that are being dragged are drawn apart, so that the many others stay as they are. */
export function FarLines({ nodes, edges }: FarLinesProps) {
  const resting = useSame(nodes.filter((node) => !node.dragging));
  const moving = useMemo(() => new Set(nodes.filter((node) => node.dragging).map((node) => node.id)), [nodes]);
  const touches = (edge: CanvasEdge) => moving.has(edge.source) || moving.has(edge.target);
  const still = useSame(moving.size === 0 ? edges : edges.filter((edge) => !touches(edge)));
  return (
    <ViewportPortal>
      <svg className={css.lines} aria-hidden>
        <Lines nodes={resting} edges={still} />
        {moving.size > 0 && <Lines nodes={nodes} edges={edges.filter(touches)} />}
      </svg>
    </ViewportPortal>
  );
}

/** The list as it was before, if all in it is the same. */
function useSame<T>(list: readonly T[]): readonly T[] {
  const [kept, keep] = useState(list);
  if (kept === list || (kept.length === list.length && kept.every((one, index) => one === list[index]))) return kept;
  keep(list);
  return list;
}

const Lines = memo(function Lines({ nodes, edges }: FarLinesProps) {
  const run = useEditor((state) => state.run);
  const selected = useEditor((state) => state.selectedEdges);
  const difference = useCanvas((state) => state.difference);
  const paths = useMemo(() => {
    const byName = new Map(nodes.map((node) => [node.id, node]));
    const found = new Map<Look, string[]>(LOOKS.map((look) => [look, []]));
    for (const edge of edges) {
      const path = pathOf(edge, byName);
      if (path && edge.data) found.get(lookOf(edge, selected.has(edge.id), difference?.edges.get(edge.id), run))?.push(path);
    }
    return found;
  }, [nodes, edges, run, selected, difference]);
  return LOOKS.map((look) => <path key={look} className={css[look]} d={paths.get(look)?.join("")} />);
});

function lookOf(edge: CanvasEdge, isSelected: boolean, change: Change | undefined, run: RunView | null): Look {
  if (isSelected) return "selected";
  if (change === "added" || change === "removed") return change;
  if (edge.data && carriedBy(run, edge.data.edge) !== null) return "passed";
  return edge.type === "supply" ? "supply" : "plain";
}

function pathOf(edge: CanvasEdge, nodes: ReadonlyMap<string, CanvasNode>): string | null {
  const from = placeOf(nodes.get(edge.source), edge.sourceHandle);
  const to = placeOf(nodes.get(edge.target), edge.targetHandle);
  if (!from || !to) return null;
  if (edge.type === "supply") return supplyRoute(from, to).path;
  return flowRoute(from, to, Math.max(from.y, to.y) + (edge.data?.below ?? 0)).path;
}

function placeOf(node: CanvasNode | undefined, handle: string | null | undefined) {
  const port = node?.handles?.find((one) => one.id === handle);
  if (!node || !port) return null;
  return { x: node.position.x + port.x + (port.width ?? 0) / 2, y: node.position.y + port.y + (port.height ?? 0) / 2 };
}
