/** A node at a low level of detail: only its shape, its family's colour and its state. Cards and sub-nodes differ only in style. */
import type { NodeProps } from "@xyflow/react";
import { hueOf } from "../shared/nodeIcons";
import { cx } from "../ui";
import type { CardNode } from "./flowModel";
import { truncateName } from "./lod";
import common from "./Shape.module.css";
import { useNodeState } from "./useNodeState";

interface NodeLodProps extends Pick<NodeProps<CardNode>, "data" | "selected"> {
  /** Class names for the shape and its content at a low level of detail. */
  css: Record<string, string>;
  shape: string | undefined;
}

export function NodeLod({ data, selected, css, shape }: NodeLodProps) {
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
      <span className={css.spot} style={{ background: `var(--hue-${hueOf(node.type, spec)})` }} />
      <span className={css.distantName} data-name>
        {truncateName(node.name)}
      </span>
    </div>
  );
}
