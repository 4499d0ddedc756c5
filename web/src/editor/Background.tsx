/**
 * The dotted background under the nodes, drawn as part of the canvas. It is opaque and covers everything that can be drawn, so the
 * browser keeps background, edges and nodes in one layer. Otherwise each row of nodes would be a layer of its own, composited in every
 * frame. It rarely changes, because everything on it would have to be painted again.
 */
import { ViewportPortal } from "@xyflow/react";
import { memo } from "react";
import { GRID } from "../graph/geometry";
import { type Box, boxAround } from "../graph/viewRegion";
import css from "./Background.module.css";
import { useViewportStore } from "./viewport";

const GAP = 2 * GRID;
/** The background begins and ends at multiples of this, so that a new node or a moved view rarely changes it. */
const SIZE_STEP = 60 * GAP;
/** Dots fade out between these zoom levels, where they would get too dense. */
const FADE_START = 0.85;
const FADE_END = 0.35;

/** `under` is where nodes and edges may be; the background also covers the visible region. */
export const Background = memo(function Background({ under }: { under: Box }) {
  const { region, zoom } = useViewportStore();
  const around = region && boxAround([region, under]);
  if (!around) return null;
  const left = Math.floor(around.x / SIZE_STEP) * SIZE_STEP;
  const top = Math.floor(around.y / SIZE_STEP) * SIZE_STEP;
  const strength = Math.min(1, Math.max(0, (zoom - FADE_END) / (FADE_START - FADE_END)));
  const style = {
    left,
    top,
    width: Math.ceil((around.x + around.width - left) / SIZE_STEP) * SIZE_STEP,
    height: Math.ceil((around.y + around.height - top) / SIZE_STEP) * SIZE_STEP,
    backgroundSize: `${GAP}px ${GAP}px`,
    // A dot is as large on the screen at every zoom.
    "--pixel": `${1 / zoom}px`,
    "--strength": `${Math.round(strength * 100)}%`,
  };
  return (
    <ViewportPortal>
      <div
        className={css.ground}
        data-plain={strength === 0 || undefined}
        style={style}
        aria-hidden
      />
    </ViewportPortal>
  );
});
