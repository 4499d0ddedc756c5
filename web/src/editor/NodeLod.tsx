/** A node at a low level of detail: only its shape, its family's colour and its state. */
import type { NodeProps } from "@xyflow/react";
import { nodeBody } from "../graph/geometry";
import { hueOf } from "../shared/nodeIcons";
import { cx } from "../ui";
import type { CardNode } from "./flowModel";
import { truncateName } from "./lod";
import css from "./NodeCard.module.css";
import common from "./Shape.module.css";
import { useNodeState } from "./useNodeState";

export function NodeLod({ data, selected }: Pick<NodeProps<CardNode>, "data" | "selected">) {
  const { node, ports, spec } = data;
  const state = useNodeState(node.name);
  return (
    <div
      className={cx(common.shape, css.node)}
      data-body={nodeBody(ports)}
      data-distant
      data-selected={selected || undefined}
      data-off={node.disabled || undefined}
      data-shape={ports.shape}
      data-known={ports.known}
      data-problem={state.problems[0]?.severity}
      data-run={state.status}
      data-change={state.change}
    >
      <span className={css.spot} style={{ background: `var(--hue-${hueOf(node.type, spec)})` }} />
      <div className={css.label}>
        <span className={css.distantName} data-name>
          {truncateName(node.name)}
        </span>
      </div>
    </div>
  );
}
