/**
 * The dotted ground under the nodes, a part of the drawing as they are. It fills what is drawn and lets nothing through: so the browser
 * keeps ground, lines and nodes as one picture, where each row of nodes would be one of its own otherwise.
 */
import { ViewportPortal } from "@xyflow/react";
import { memo } from "react";
import css from "./Ground.module.css";
import { useSight } from "./sight";

const GAP = 24;
/** Between these sizes dots fade, because they would be too near to each other to be of use. */
const FULL = 0.85;
const GONE = 0.35;

export const Ground = memo(function Ground() {
  const { region, zoom } = useSight();
  if (!region) return null;
  const left = Math.floor(region.x / GAP) * GAP;
  const top = Math.floor(region.y / GAP) * GAP;
  const strength = Math.min(1, Math.max(0, (zoom - GONE) / (FULL - GONE)));
  const style = {
    left,
    top,
    width: region.x + region.width - left,
    height: region.y + region.height - top,
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
