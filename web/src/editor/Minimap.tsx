/**
 * The map in the corner: every node as a mark and the part in sight as a frame; drag it to go elsewhere. The marks are drawn on one surface,
 * however many nodes there are, and drawn again only when they change or no longer fit; the frame is moved over them.
 */
import { useStoreApi } from "@xyflow/react";
import { type PointerEvent, useEffect, useRef } from "react";
import { type Box, boxAround, covers, visibleBox } from "../graph/viewRegion";
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { onThemeChange } from "../theme/theme";
import { type CanvasNode, nodeBox } from "./flowModel";
import css from "./Minimap.module.css";

const WIDTH = 176;
const HEIGHT = 112;
const MARGIN = 10;
/** The map shows this much more than it must, so that a view at its border does not change it in every frame. */
const PADDING = 0.08;
/** While nodes are dragged, their marks follow this often. */
const REDRAW_MS = 150;

interface Scale {
  scale: number;
  left: number;
  top: number;
}

export function Minimap({ nodes }: { nodes: readonly CanvasNode[] }) {
  const surface = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const store = useStoreApi();
  const shown = useRef<Scale>({ scale: 1, left: 0, top: 0 });
  const selection = useEditor((state) => state.selection);
  const drawnAt = useRef(0);
  useEffect(() => {
    let waiting = 0;
    let isStale = true;
    let drawn: Box | null = null;
    const all = boxAround(nodes.map(nodeBox));
    const draw = () => {
      waiting = 0;
      const seen = visibleBox(store.getState().transform, store.getState());
      const needed = boxAround(all ? [all, seen] : [seen]) ?? seen;
      if (
        !drawn ||
        !covers(drawn, needed) ||
        drawn.width > needed.width * 1.5 ||
        drawn.height > needed.height * 1.5
      ) {
        drawn = padBox(needed);
        shown.current = fitScale(drawn);
        isStale = true;
      }
      if (isStale && surface.current) drawNodes(surface.current, nodes, selection, shown.current);
      if (frame.current) positionFrame(frame.current, seen, shown.current);
      isStale = false;
      drawnAt.current = performance.now();
    };
    const soon = () => {
      waiting ||= requestAnimationFrame(draw);
    };
    const isDragging = nodes.some((node) => node.dragging);
    const first = setTimeout(
      soon,
      isDragging ? drawnAt.current + REDRAW_MS - performance.now() : 0,
    );
    const end = store.subscribe(
      (state, before) =>
        (state.transform !== before.transform ||
          state.width !== before.width ||
          state.height !== before.height) &&
        soon(),
    );
    const endTheme = onThemeChange(() => {
      isStale = true;
      soon();
    });
    return () => {
      end();
      endTheme();
      clearTimeout(first);
      cancelAnimationFrame(waiting);
    };
  }, [nodes, selection, store]);
  const go = (event: PointerEvent<HTMLDivElement>) => {
    if (event.buttons !== 1) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const box = event.currentTarget.getBoundingClientRect();
    const { scale, left, top } = shown.current;
    const x = left + (event.clientX - box.left) / scale;
    const y = top + (event.clientY - box.top) / scale;
    void useCanvas.getState().flow?.setCenter(x, y, { zoom: store.getState().transform[2] });
  };
  return (
    <div
      className={css.map}
      style={{ width: WIDTH, height: HEIGHT }}
      role="img"
      aria-label="Minimap"
      onPointerDown={go}
      onPointerMove={go}
    >
      <canvas
        ref={surface}
        width={WIDTH * 2}
        height={HEIGHT * 2}
        style={{ width: WIDTH, height: HEIGHT }}
      />
      <div ref={frame} className={css.frame} />
    </div>
  );
}

function padBox(box: Box): Box {
  const [x, y] = [box.width * PADDING, box.height * PADDING];
  return { x: box.x - x, y: box.y - y, width: box.width + 2 * x, height: box.height + 2 * y };
}

function fitScale(box: Box): Scale {
  const scale = Math.min((WIDTH - 2 * MARGIN) / box.width, (HEIGHT - 2 * MARGIN) / box.height);
  return {
    scale,
    left: box.x - (WIDTH / scale - box.width) / 2,
    top: box.y - (HEIGHT / scale - box.height) / 2,
  };
}

function positionFrame(frame: HTMLElement, seen: Box, { scale, left, top }: Scale) {
  frame.style.width = `${seen.width * scale}px`;
  frame.style.height = `${seen.height * scale}px`;
  frame.style.transform = `translate(${(seen.x - left) * scale}px, ${(seen.y - top) * scale}px)`;
}

function drawNodes(
  surface: HTMLCanvasElement,
  nodes: readonly CanvasNode[],
  selection: ReadonlySet<string>,
  { scale, left, top }: Scale,
) {
  const pen = surface.getContext("2d");
  if (!pen) return;
  const style = getComputedStyle(surface);
  const colour = (name: string) => style.getPropertyValue(name);
  pen.setTransform(2, 0, 0, 2, 0, 0);
  pen.clearRect(0, 0, WIDTH, HEIGHT);
  const paint = (fits: (node: CanvasNode) => boolean, fill: string) => {
    pen.fillStyle = fill;
    for (const node of nodes) {
      if (!fits(node)) continue;
      const [w, h] = [
        Math.max(2, (node.width ?? 0) * scale),
        Math.max(1.5, (node.height ?? 0) * scale),
      ];
      pen.fillRect((node.position.x - left) * scale, (node.position.y - top) * scale, w, h);
    }
  };
  paint((node) => node.type === "note", colour("--pressed"));
  paint((node) => node.type !== "note" && !selection.has(node.id), colour("--line-strong"));
  paint((node) => selection.has(node.id), colour("--accent"));
}
