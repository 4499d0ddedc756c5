/** The line while it is being drawn; where it would be let go on something that does not fit, it says so by its colour and dashes. */
import type { ConnectionLineComponentProps } from "@xyflow/react";
import { flowRoute, subNodeRoute } from "../graph/edgeRoute";
import { parseHandleId } from "../graph/geometry";
import { isSubNodeKind } from "../graph/ports";
import { cx } from "../ui";
import css from "./ConnectionLine.module.css";
import type { CanvasNode } from "./flowModel";

export function ConnectionLine({
  fromX,
  fromY,
  toX,
  toY,
  fromHandle,
  toHandle,
  connectionStatus,
}: ConnectionLineComponentProps<CanvasNode>) {
  const port = parseHandleId(fromHandle.id);
  const drawn = { x: fromX, y: fromY };
  const end = { x: toX, y: toY };
  const [from, to] = port?.side === "output" ? [drawn, end] : [end, drawn];
  const { path } = port && isSubNodeKind(port.kind) ? subNodeRoute(from, to) : flowRoute(from, to);
  return (
    <path
      d={path}
      className={cx(css.line, toHandle !== null && connectionStatus === "invalid" && css.refused)}
    />
  );
}
