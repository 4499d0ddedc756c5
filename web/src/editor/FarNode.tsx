/** A node from far away: only its shape, its family's colour and its state. Cards and circles differ in their style alone. */
import type { NodeProps } from "@xyflow/react";
import { cx } from "../ui";
import { shortName } from "./far";
import type { CardNode } from "./flow";
import { hueOf } from "./icons";
import common from "./Shape.module.css";
import { useNodeState } from "./useNodeState";

interface FarNodeProps extends Pick<NodeProps<CardNode>, "data" | "selected"> {
  /** Classes of the near form: its shape, and what is in it from far away. */
  css: Record<string, string>;
  shape: string | undefined;
}

export function FarNode({ data, selected, css, shape }: FarNodeProps) {
  const { node, ports, spec } = data;
  const state = useNodeState(node.name);
  return (
    <div
      className={cx(common.shape, shape)}
      data-distant
      data-selected={selected || undefined}
      data-off={node.disabled || undefined}
      data-shape={ports.shape}
      data-known={ports.known}
      data-run={state.status}
      data-change={state.change}
    >
      <span className={css.spot} style={{ background: `var(--hue-${hueOf(node.type, spec?.group)})` }} />
      <span className={css.distantName} data-name>
        {shortName(node.name)}
      </span>
    </div>
  );
}
