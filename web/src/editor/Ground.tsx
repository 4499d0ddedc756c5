/**
 * The dotted ground under the nodes, a part of the drawing as they are. It lies under all that can be drawn and lets nothing through: so
 * the browser keeps ground, lines and nodes as one picture, where each row of nodes would be one of its own otherwise, to be put together
 * anew in every frame. It rarely changes, because all that stands on it would have to be painted again.
 */
import { ViewportPortal } from "@xyflow/react";
import { memo } from "react";
import { type Box, boxAround } from "../graph/region";
import css from "./Ground.module.css";
import { useSight } from "./sight";

const GAP = 24;
/** The ground begins and ends at multiples of this, so that neither a new node nor a view beyond the last one changes it often. */
const STEP = 80 * GAP;
/** Between these sizes dots fade, because they would be too near to each other to be of use. */
const FULL = 0.85;
const GONE = 0.35;

/** `under` is where nodes and lines may be; the ground is also under the view, where nothing may be. */
export const Ground = memo(function Ground({ under }: { under: Box }) {
  const { region, zoom } = useSight();
  const around = region && boxAround([region, under]);
  if (!around) return null;
  const left = Math.floor(around.x / STEP) * STEP;
  const top = Math.floor(around.y / STEP) * STEP;
  const strength = Math.min(1, Math.max(0, (zoom - GONE) / (FULL - GONE)));
  const style = {
    left,
    top,
    width: Math.ceil((around.x + around.width - left) / STEP) * STEP,
    height: Math.ceil((around.y + around.height - top) / STEP) * STEP,
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
