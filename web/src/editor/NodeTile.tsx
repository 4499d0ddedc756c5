/** The coloured tile with a node type's picture, as it stands on cards, in lists and in the panel's head. */
import { memo } from "react";
import type { Group } from "../graph/spec";
import { hueOf, iconOf } from "./icons";
import css from "./NodeTile.module.css";

interface NodeTileProps {
  type: string;
  group: Group | undefined;
  size?: number;
  round?: boolean;
}

export const NodeTile = memo(function NodeTile({ type, group, size = 36, round }: NodeTileProps) {
  const Icon = iconOf(type, group);
  return (
    <span
      className={css.tile}
      data-hue={hueOf(type, group)}
      data-round={round || undefined}
      style={{ width: size, height: size }}
      aria-hidden
    >
      <Icon size={Math.round(size * 0.5)} strokeWidth={1.75} />
    </span>
  );
});
