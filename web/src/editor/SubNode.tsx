/** A sub-node as a circle below the node it serves, with its name beneath or, where lines leave it there, beside. */
import type { NodeProps } from "@xyflow/react";
import { memo, useState } from "react";
import { NodeIcon } from "../shared/NodeIcon";
import { useCanvas } from "../store/canvasStore";
import { cx } from "../ui";
import type { CardNode } from "./flowModel";
import { useLowDetail } from "./lod";
import { NodeLod } from "./NodeLod";
import { NodeNameEditor } from "./NodeNameEditor";
import { NodeStatusMark } from "./NodeStatusMark";
import { NodeToolbar } from "./NodeToolbar";
import { PortHandles } from "./PortHandles";
import shape from "./Shape.module.css";
import css from "./SubNode.module.css";
import { useNodeState } from "./useNodeState";

export const SubNode = memo(function SubNode(props: NodeProps<CardNode>) {
  return useLowDetail() ? (
    <NodeLod data={props.data} selected={props.selected} css={css} shape={css.circle} />
  ) : (
    <FullSubNode {...props} />
  );
});

function FullSubNode({ data, selected, dragging }: NodeProps<CardNode>) {
  const { node, ports, spec, subtitle } = data;
  const [isPointedAt, setPointedAt] = useState(false);
  const isRenaming = useCanvas((state) => state.renaming === node.name);
  const state = useNodeState(node.name);
  return (
    <div
      className={cx(shape.shape, css.circle)}
      data-selected={selected || undefined}
      data-off={node.disabled || undefined}
      data-known={ports.known}
      data-run={state.status}
      data-change={state.change}
      onPointerEnter={() => setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
    >
      <NodeIcon type={node.type} spec={spec} size={46} round />
      <div className={css.label} data-beside={ports.inputs.length > 0 || undefined}>
        {isRenaming ? (
          <NodeNameEditor name={node.name} />
        ) : (
          <span className={css.name} data-name>
            {node.name}
          </span>
        )}
        <span className={css.line} data-near>
          {ports.known === "no" ? "Unknown type" : subtitle}
        </span>
      </div>
      <span className={css.mark} data-near data-word={state.change && true}>
        <NodeStatusMark name={node.name} state={state} />
      </span>
      <PortHandles data={data} />
      {isPointedAt && !dragging && (
        <NodeToolbar name={node.name} isDisabled={!!node.disabled} isCircle />
      )}
    </div>
  );
}
