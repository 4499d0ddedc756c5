/** A sub-node as a circle below the node it serves, with its name beneath or, where lines leave it there, beside. */
import type { NodeProps } from "@xyflow/react";
import { memo, useState } from "react";
import { cx } from "../ui";
import { CardBar } from "./CardBar";
import css from "./Circle.module.css";
import { useCanvas } from "./canvas";
import { FarNode } from "./FarNode";
import { useFar } from "./far";
import type { CardNode } from "./flow";
import { NameEditor } from "./NameEditor";
import { NodeTile } from "./NodeTile";
import { PortHandles } from "./PortHandles";
import shape from "./Shape.module.css";
import { StateMark } from "./StateMark";
import { useNodeState } from "./useNodeState";

export const Circle = memo(function Circle(props: NodeProps<CardNode>) {
  return useFar() ? (
    <FarNode data={props.data} selected={props.selected} css={css} shape={css.circle} />
  ) : (
    <NearCircle {...props} />
  );
});

function NearCircle({ data, selected, dragging }: NodeProps<CardNode>) {
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
      <NodeTile type={node.type} group={spec?.group} size={46} round />
      <div className={css.label} data-beside={ports.inputs.length > 0 || undefined}>
        {isRenaming ? (
          <NameEditor name={node.name} />
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
        <StateMark name={node.name} state={state} />
      </span>
      <PortHandles data={data} />
      {isPointedAt && !dragging && <CardBar name={node.name} isDisabled={!!node.disabled} isCircle />}
    </div>
  );
}
