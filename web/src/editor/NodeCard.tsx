/**
 * A node on the canvas: a square or, for a sub-node, a circle with its name below; a wide card or a pill with the name inside for a
 * node that has sub-nodes. With a line about what it does, and how it fared in the run that is shown.
 */
import type { NodeProps } from "@xyflow/react";
import { Pin, RotateCcw } from "lucide-react";
import { memo, useState } from "react";
import type { WorkflowNode } from "../api/workflowDocument";
import { nodeBody } from "../graph/geometry";
import { shortType } from "../graph/subtitle";
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
    <NodeLod data={props.data} selected={props.selected} />
  ) : (
    <FullNodeCard {...props} />
  );
});

const ICON_SIZE = 48;

function FullNodeCard({ data, selected, dragging }: NodeProps<CardNode>) {
  const { node, ports, spec, subtitle, pinned } = data;
  const [isPointedAt, setPointedAt] = useState(false);
  const isRenaming = useCanvas((state) => state.renaming === node.name);
  const state = useNodeState(node.name);
  const isSubNode = ports.shape === "circle";
  return (
    <div
      className={cx(shape.shape, css.node)}
      data-body={nodeBody(ports)}
      data-selected={selected || undefined}
      data-off={node.disabled || undefined}
      data-shape={ports.shape}
      data-known={ports.known}
      data-problem={worstProblem(state)}
      data-run={state.status}
      data-change={state.change}
      onPointerEnter={() => setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
    >
      <NodeIcon type={node.type} spec={spec} size={ICON_SIZE} round={isSubNode} />
      <div className={css.label}>
        {isRenaming ? (
          <NodeNameEditor name={node.name} />
        ) : (
          <span className={css.name} data-name title={node.name}>
            {node.name}
          </span>
        )}
        <span className={cx(css.line, state.status === "error" && css.failed)} data-near>
          {nodeError(state) ?? subtitleLine(ports.known, subtitle, node)}
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
      {isPointedAt && !dragging && (
        <NodeToolbar
          name={node.name}
          isDisabled={!!node.disabled}
          isSubNode={isSubNode}
          onHide={() => setPointedAt(false)}
        />
      )}
    </div>
  );
}

function worstProblem({ problems }: NodeState): string | undefined {
  return problems[0]?.severity;
}

/** What went wrong is what one wants to know of a node that failed. */
function nodeError({ status, runs }: NodeState): string | undefined {
  return status === "error" ? runs.findLast((run) => run.error)?.error?.message : undefined;
}

function subtitleLine(known: string, subtitle: string, { type, disabled }: WorkflowNode): string {
  if (known === "no") return `Not supported · ${shortType(type)}`;
  if (known === "version") return `Unsupported version · ${subtitle}`;
  return disabled ? `Disabled${subtitle && ` · ${subtitle}`}` : subtitle;
}
