/** A sub-node as a circle below the node it serves, with its name beneath or, where lines leave it there, beside. */
import type { NodeProps } from "@xyflow/react";
import { memo, useState } from "react";
import { cx } from "../ui";
import { CardBar } from "./CardBar";
import css from "./Circle.module.css";
import { useCanvas } from "./canvas";
import { shortName, useFar } from "./far";
import type { CardNode } from "./flow";
import { hueOf } from "./icons";
import { NameEditor } from "./NameEditor";
import { NodeTile } from "./NodeTile";
import { PortHandles } from "./PortHandles";
import { StateMark } from "./StateMark";
import { useNodeState } from "./useNodeState";

export const Circle = memo(function Circle(props: NodeProps<CardNode>) {
  return useFar() ? <FarCircle {...props} /> : <NearCircle {...props} />;
});

/** Only its shape, its family's colour and its state. */
function FarCircle({ data, selected }: NodeProps<CardNode>) {
  const { node, ports, spec } = data;
  const state = useNodeState(node.name);
  return (
    <div
      className={cx(css.circle, css.distant, selected && css.selected, node.disabled && css.off)}
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

function NearCircle({ data, selected, dragging }: NodeProps<CardNode>) {
  const { node, ports, spec, subtitle } = data;
  const [isPointedAt, setPointedAt] = useState(false);
  const isRenaming = useCanvas((state) => state.renaming === node.name);
  const state = useNodeState(node.name);
  return (
    <div
      className={cx(css.circle, selected && css.selected, node.disabled && css.off)}
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
