/** The line while it is being drawn; where it would be let go on something that does not fit, it says so by its colour and dashes. */
import type { ConnectionLineComponentProps } from "@xyflow/react";
import { portOfHandle } from "../graph/geometry";
import { isSupply } from "../graph/ports";
import { flowRoute, supplyRoute } from "../graph/route";
import { cx } from "../ui";
import css from "./ConnectingLine.module.css";
import type { CanvasNode } from "./flow";

export function ConnectingLine({
  fromX,
  fromY,
  toX,
  toY,
  fromHandle,
  toHandle,
  connectionStatus,
}: ConnectionLineComponentProps<CanvasNode>) {
  const port = portOfHandle(fromHandle.id);
  const drawn = { x: fromX, y: fromY };
  const end = { x: toX, y: toY };
  const [from, to] = port?.side === "output" ? [drawn, end] : [end, drawn];
  const { path } = port && isSupply(port.kind) ? supplyRoute(from, to) : flowRoute(from, to);
  return <path d={path} className={cx(css.line, toHandle !== null && connectionStatus === "invalid" && css.refused)} />;
}
