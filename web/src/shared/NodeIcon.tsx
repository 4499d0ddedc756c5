/** The coloured tile with a node type's picture, as it stands on cards, in lists and in the panel's head. */
import { memo } from "react";
import css from "./NodeIcon.module.css";
import { hueOf, iconOf, type NodeLook } from "./nodeIcons";
import { providerMark } from "./providerMarks";

interface NodeIconProps {
  type: string;
  /** The type's description, if it is known. */
  spec: NodeLook | undefined;
  size?: number;
  round?: boolean;
}

export const NodeIcon = memo(function NodeIcon({ type, spec, size = 36, round }: NodeIconProps) {
  const Icon = iconOf(type, spec);
  const mark = providerMark(type);
  return (
    <span
      className={css.tile}
      data-hue={hueOf(type, spec)}
      data-round={round || undefined}
      style={{ width: size, height: size }}
      aria-hidden
    >
      {mark ? (
        <span
          className={css.mark}
          style={{ fontSize: Math.round(size * (mark.length > 2 ? 0.3 : 0.38)) }}
        >
          {mark}
        </span>
      ) : (
        <Icon size={Math.round(size * 0.5)} strokeWidth={1.75} />
      )}
    </span>
  );
});
