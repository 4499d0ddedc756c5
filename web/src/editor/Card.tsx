/** A node of the flow as a card: picture, name, one line about what it does, and how it fared in the run that is shown. */
import type { NodeProps } from "@xyflow/react";
import { Pin, RotateCcw } from "lucide-react";
import { memo, useState } from "react";
import { cx } from "../ui";
import css from "./Card.module.css";
import { CardBar } from "./CardBar";
import { useCanvas } from "./canvas";
import { FarNode } from "./FarNode";
import { useFar } from "./far";
import type { CardNode } from "./flow";
import { NameEditor } from "./NameEditor";
import { NodeTile } from "./NodeTile";
import { PortHandles } from "./PortHandles";
import shape from "./Shape.module.css";
import { StateMark } from "./StateMark";
import { type NodeState, useNodeState } from "./useNodeState";

export const Card = memo(function Card(props: NodeProps<CardNode>) {
  return useFar() ? <FarNode data={props.data} selected={props.selected} css={css} shape={css.card} /> : <NearCard {...props} />;
});

function NearCard({ data, selected, dragging }: NodeProps<CardNode>) {
  const { node, ports, spec, subtitle, pinned } = data;
  const [isPointedAt, setPointedAt] = useState(false);
  const isRenaming = useCanvas((state) => state.renaming === node.name);
  const state = useNodeState(node.name);
  return (
    <div
      className={cx(shape.shape, css.card)}
      data-selected={selected || undefined}
      data-off={node.disabled || undefined}
      data-shape={ports.shape}
      data-known={ports.known}
      data-run={state.status}
      data-change={state.change}
      onPointerEnter={() => setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
    >
      <NodeTile type={node.type} group={spec?.group} />
      <div className={css.words} data-marks={marksOf(pinned !== null, !!node.retryOnFail, state) || undefined}>
        {isRenaming ? (
          <NameEditor name={node.name} />
        ) : (
          <span className={css.name} data-name>
            {node.name}
          </span>
        )}
        <span className={cx(css.line, state.status === "error" && css.failed)} data-near>
          {errorOf(state) ?? lineOf(data.ports.known, subtitle, node.type, node.disabled)}
        </span>
      </div>
      <div className={css.marks} data-near>
        {pinned !== null && <Pin className={css.pin} size={12} aria-label={`${pinned} pinned items`} role="img" />}
        {node.retryOnFail && <RotateCcw className={css.quiet} size={12} aria-label="Tried again when it fails" role="img" />}
        <StateMark name={node.name} state={state} />
      </div>
      <PortHandles data={data} />
      {isPointedAt && !dragging && <CardBar name={node.name} isDisabled={!!node.disabled} />}
    </div>
  );
}

/** What went wrong is what one wants to know of a node that failed. */
function errorOf({ status, runs }: NodeState): string | undefined {
  return status === "error" ? runs.findLast((run) => run.error)?.error?.message : undefined;
}

/** How many signs stand in the corner; the line beside them ends before. */
function marksOf(isPinned: boolean, isRetried: boolean, { status, problems, change }: NodeState): number {
  const isMarked = status !== undefined || change !== undefined || problems.some((problem) => problem.severity !== "info");
  return Number(isPinned) + Number(isRetried) + (isMarked ? (change ? 3 : 1) : 0);
}

function lineOf(known: string, subtitle: string, type: string, isDisabled: boolean | undefined): string {
  if (known === "no") return `Unknown type ${type}`;
  if (known === "version") return `Version not known here · ${subtitle}`;
  return isDisabled ? `Switched off${subtitle && ` · ${subtitle}`}` : subtitle;
}
