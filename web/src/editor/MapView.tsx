/** The map in the corner: every node as a mark and the part in sight as a frame; drag it to go elsewhere. Drawn on one surface, however many nodes. */
import { useStoreApi } from "@xyflow/react";
import { type PointerEvent, useEffect, useRef } from "react";
import { onTheme } from "../theme/theme";
import { useCanvas } from "./canvas";
import type { CanvasNode } from "./flow";
import css from "./MapView.module.css";
import { useEditor } from "./store";

const WIDTH = 176;
const HEIGHT = 112;
const MARGIN = 10;

interface View {
  scale: number;
  left: number;
  top: number;
}

export function MapView({ nodes }: { nodes: readonly CanvasNode[] }) {
  const surface = useRef<HTMLCanvasElement>(null);
  const store = useStoreApi();
  const view = useRef<View>({ scale: 1, left: 0, top: 0 });
  const selection = useEditor((state) => state.selection);
  useEffect(() => {
    let waiting = 0;
    const draw = () => {
      waiting = 0;
      const { transform, width, height } = store.getState();
      if (surface.current) view.current = drawMap(surface.current, nodes, selection, transform, width, height);
    };
    const soon = () => {
      waiting ||= requestAnimationFrame(draw);
    };
    soon();
    const end = store.subscribe(
      (state, before) => (state.transform !== before.transform || state.width !== before.width) && soon(),
    );
    const endTheme = onTheme(soon);
    return () => {
      end();
      endTheme();
      cancelAnimationFrame(waiting);
    };
  }, [nodes, selection, store]);
  const go = (event: PointerEvent<HTMLCanvasElement>) => {
    if (event.buttons !== 1) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const box = event.currentTarget.getBoundingClientRect();
    const { scale, left, top } = view.current;
    const x = left + (event.clientX - box.left) / scale;
    const y = top + (event.clientY - box.top) / scale;
    void useCanvas.getState().flow?.setCenter(x, y, { zoom: store.getState().transform[2] });
  };
  return (
    <canvas
      ref={surface}
      className={css.map}
      width={WIDTH * 2}
      height={HEIGHT * 2}
      style={{ width: WIDTH, height: HEIGHT }}
      role="img"
      aria-label="Map of the workflow"
      onPointerDown={go}
      onPointerMove={go}
    />
  );
}

function drawMap(
  surface: HTMLCanvasElement,
  nodes: readonly CanvasNode[],
  selection: ReadonlySet<string>,
  [x, y, zoom]: readonly [number, number, number],
  width: number,
  height: number,
): View {
  const seen = { left: -x / zoom, top: -y / zoom, right: (width - x) / zoom, bottom: (height - y) / zoom };
  const box = { ...seen };
  for (const node of nodes) {
    box.left = Math.min(box.left, node.position.x);
    box.top = Math.min(box.top, node.position.y);
    box.right = Math.max(box.right, node.position.x + (node.width ?? 0));
    box.bottom = Math.max(box.bottom, node.position.y + (node.height ?? 0));
  }
  const scale = Math.min((WIDTH - 2 * MARGIN) / (box.right - box.left), (HEIGHT - 2 * MARGIN) / (box.bottom - box.top));
  const left = box.left - (WIDTH / scale - (box.right - box.left)) / 2;
  const top = box.top - (HEIGHT / scale - (box.bottom - box.top)) / 2;
  const pen = surface.getContext("2d");
  if (!pen) return { scale, left, top };
  const style = getComputedStyle(surface);
  const colour = (name: string) => style.getPropertyValue(name);
  pen.setTransform(2, 0, 0, 2, 0, 0);
  pen.clearRect(0, 0, WIDTH, HEIGHT);
  const paint = (fits: (node: CanvasNode) => boolean, fill: string) => {
    pen.fillStyle = fill;
    for (const node of nodes) {
      if (!fits(node)) continue;
      const [w, h] = [Math.max(2, (node.width ?? 0) * scale), Math.max(1.5, (node.height ?? 0) * scale)];
      pen.fillRect((node.position.x - left) * scale, (node.position.y - top) * scale, w, h);
    }
  };
  paint((node) => node.type === "note", colour("--pressed"));
  paint((node) => node.type !== "note" && !selection.has(node.id), colour("--line-strong"));
  paint((node) => selection.has(node.id), colour("--accent"));
  pen.strokeStyle = colour("--accent-line");
  pen.lineWidth = 1.5;
  pen.strokeRect(
    (seen.left - left) * scale,
    (seen.top - top) * scale,
    (seen.right - seen.left) * scale,
    (seen.bottom - seen.top) * scale,
  );
  return { scale, left, top };
}
