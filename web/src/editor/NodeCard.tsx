/** A node of the flow as a card: picture, name, one line about what it does, and how it fared in the run that is shown. */
import type { NodeProps } from "@xyflow/react";
import { Pin, RotateCcw } from "lucide-react";
import { memo, useState } from "react";
import { NodeIcon } from "../shared/NodeIcon";
import { useCanvas } from "../store/canvasStore";
import { cx } from "../ui";
import type { CardNode } from "./flowModel";
import { useLowDetail } from "./lod";
import css from "./NodeCard.module.css";
import { NodeLod } from "./NodeLod";
import { NodeNameEditor } from "./NodeNameEditor";
import { NodeStatusMark } from "./NodeStatusMark";
import { NodeToolbar } from "./NodeToolbar";
import { PortHandles } from "./PortHandles";
import shape from "./Shape.module.css";
import { type NodeState, useNodeState } from "./useNodeState";

export const NodeCard = memo(function NodeCard(props: NodeProps<CardNode>) {
  return useLowDetail() ? (
    <NodeLod data={props.data} selected={props.selected} css={css} shape={css.card} />
  ) : (
    <FullNodeCard {...props} />
  );
});

function FullNodeCard({ data, selected, dragging }: NodeProps<CardNode>) {
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
      <NodeIcon type={node.type} spec={spec} />
      <div
        className={css.words}
        data-marks={countMarks(pinned !== null, !!node.retryOnFail, state) || undefined}
      >
        {isRenaming ? (
          <NodeNameEditor name={node.name} />
        ) : (
          <span className={css.name} data-name>
            {node.name}
          </span>
        )}
        <span className={cx(css.line, state.status === "error" && css.failed)} data-near>
          {nodeError(state) ?? subtitleLine(data.ports.known, subtitle, node.type, node.disabled)}
        </span>
      </div>
      <div className={css.marks} data-near>
        {pinned !== null && (
          <Pin className={css.pin} size={12} aria-label={`${pinned} pinned items`} role="img" />
        )}
        {node.retryOnFail && (
          <RotateCcw className={css.quiet} size={12} aria-label="Retries on failure" role="img" />
        )}
        <NodeStatusMark name={node.name} state={state} />
      </div>
      <PortHandles data={data} />
      {isPointedAt && !dragging && <NodeToolbar name={node.name} isDisabled={!!node.disabled} />}
    </div>
  );
}

/** What went wrong is what one wants to know of a node that failed. */
function nodeError({ status, runs }: NodeState): string | undefined {
  return status === "error" ? runs.findLast((run) => run.error)?.error?.message : undefined;
}

/** How many signs stand in the corner; the line beside them ends before. */
function countMarks(
  isPinned: boolean,
  isRetried: boolean,
  { status, problems, change }: NodeState,
): number {
  const isMarked = status !== undefined || change !== undefined || problems.length > 0;
  return Number(isPinned) + Number(isRetried) + (isMarked ? (change ? 3 : 1) : 0);
}

function subtitleLine(
  known: string,
  subtitle: string,
  type: string,
  isDisabled: boolean | undefined,
): string {
  if (known === "no") return `Unknown type ${type}`;
  if (known === "version") return `Unsupported version · ${subtitle}`;
  return isDisabled ? `Disabled${subtitle && ` · ${subtitle}`}` : subtitle;
}
