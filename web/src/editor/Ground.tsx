/**
 * The dotted ground under the nodes, a part of the drawing as they are. It lies under all that is drawn, also under what reaches out of
 * the region, and lets nothing through: so the browser keeps ground, lines and nodes as one picture, where each row of nodes would be one
 * of its own otherwise, to be put together anew in every frame.
 */
import { ViewportPortal } from "@xyflow/react";
import { memo } from "react";
import type { Box } from "../graph/region";
import css from "./Ground.module.css";
import { useSight } from "./sight";

const GAP = 24;
/** The ground begins and ends at multiples of this, so that a node that comes or goes rarely changes it. */
const STEP = 20 * GAP;
/** Between these sizes dots fade, because they would be too near to each other to be of use. */
const FULL = 0.85;
const GONE = 0.35;

export const Ground = memo(function Ground({ under }: { under: Box | null }) {
  const { region, zoom } = useSight();
  if (!region || !under) return null;
  const left = Math.floor(under.x / STEP) * STEP;
  const top = Math.floor(under.y / STEP) * STEP;
  const strength = Math.min(1, Math.max(0, (zoom - GONE) / (FULL - GONE)));
  const style = {
    left,
    top,
    width: Math.ceil((under.x + under.width - left) / STEP) * STEP,
    height: Math.ceil((under.y + under.height - top) / STEP) * STEP,
    backgroundSize: `${GAP}px ${GAP}px`,
    // A dot is as large on the screen at every zoom.
    "--pixel": `${1 / zoom}px`,
    "--strength": `${Math.round(strength * 100)}%`,
  };
  return (
    <ViewportPortal>
      <div className={css.ground} data-plain={strength === 0 || undefined} style={style} aria-hidden />
    </ViewportPortal>
  );
});
