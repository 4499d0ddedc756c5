/** All lines of a large document seen from far away, as a handful of paths instead of a thousand parts of the page. */
import { ViewportPortal } from "@xyflow/react";
import { memo, useMemo } from "react";
import { flowRoute, supplyRoute } from "../graph/route";
import { useCanvas } from "./canvas";
import css from "./FarLines.module.css";
import type { CanvasEdge, CanvasNode } from "./flow";
import { carriedBy } from "./Line";
import { useEditor } from "./store";

type Look = "plain" | "supply" | "passed" | "added" | "removed" | "selected";
const LOOKS: readonly Look[] = ["plain", "supply", "passed", "added", "removed", "selected"];

interface FarLinesProps {
  nodes: readonly CanvasNode[];
  edges: readonly CanvasEdge[];
}

export const FarLines = memo(function FarLines({ nodes, edges }: FarLinesProps) {
  const run = useEditor((state) => state.run);
  const selected = useEditor((state) => state.selectedEdges);
  const difference = useCanvas((state) => state.difference);
  const paths = useMemo(() => {
    const byName = new Map(nodes.map((node) => [node.id, node]));
    const found = new Map<Look, string[]>(LOOKS.map((look) => [look, []]));
    for (const edge of edges) {
      const path = pathOf(edge, byName);
      if (!path || !edge.data) continue;
      const change = difference?.edges.get(edge.id);
      const look: Look = selected.has(edge.id)
        ? "selected"
        : change === "added" || change === "removed"
          ? change
          : carriedBy(run, edge.data.edge) !== null
            ? "passed"
            : edge.type === "supply"
              ? "supply"
              : "plain";
      found.get(look)?.push(path);
    }
    return found;
  }, [nodes, edges, run, selected, difference]);
  return (
    <ViewportPortal>
      <svg className={css.lines} aria-hidden>
        {LOOKS.map((look) => (
          <path key={look} className={css[look]} d={paths.get(look)?.join("")} />
        ))}
      </svg>
    </ViewportPortal>
  );
});

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
