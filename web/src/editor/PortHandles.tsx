/** Inputs and outputs of a node: where lines begin and end, with their names and a `+` where one is open. */
import { Handle } from "@xyflow/react";
import { Plus } from "lucide-react";
import { handleId, hasLabelBelow, nodeBody, portPosition } from "../graph/geometry";
import { isSubNodeKind, kindLabel, type Port } from "../graph/ports";
import { useEditor } from "../store/editorStore";
import { cx } from "../ui";
import { openAddPanel } from "./commands";
import { type CardData, handleSide } from "./flowModel";
import css from "./PortHandles.module.css";

export function PortHandles({ data }: { data: CardData }) {
  const isReadOnly = useEditor((state) => state.readOnly);
  const { inputs, outputs } = data.ports;
  return (
    <>
      {inputs.map((port) => (
        <PortHandle
          key={`in ${port.kind} ${port.index}`}
          data={data}
          side="input"
          port={port}
          isReadOnly={isReadOnly}
          isOne={inputs.length < 2}
        />
      ))}
      {outputs.map((port) => (
        <PortHandle
          key={`out ${port.kind} ${port.index}`}
          data={data}
          side="output"
          port={port}
          isReadOnly={isReadOnly}
          isOne={outputs.length < 2}
        />
      ))}
    </>
  );
}

interface PortHandleProps {
  data: CardData;
  side: "input" | "output";
  port: Port;
  isReadOnly: boolean;
  isOne: boolean;
}

function PortHandle({ data, side, port, isReadOnly, isOne }: PortHandleProps) {
  const place = portPosition(data.ports, side, port, data.size);
  const handle = handleId(side, port);
  const isTaken = data.taken.has(handle);
  const isDiamond = isSubNodeKind(port.kind);
  // Below a node whose name stands there, an open port shows when it is of use.
  const isTucked = isDiamond && side === "input" && hasLabelBelow(data.ports);
  const canAdd =
    !isReadOnly &&
    (side === "output"
      ? !isTaken && !isDiamond
      : isDiamond && (!isTaken || port.maxConnections > 1));
  const label = portLabel(port, side, isOne, isDiamond, nodeBody(data.ports) === "circle");
  const end = { node: data.node.name, side, kind: port.kind, index: port.index };
  return (
    <Handle
      id={handle}
      type={side === "input" ? "target" : "source"}
      position={handleSide(side, port)}
      className={cx(css.port, isDiamond && css.diamond, port.isError && css.error)}
      data-side={side}
      data-tucked={isTucked || undefined}
      style={{ left: place.x, top: place.y, right: "auto", bottom: "auto" }}
      isConnectable={!isReadOnly}
      role="group"
      aria-label={`${side === "input" ? "Input" : "Output"} ${port.label || kindLabel(port.kind)} of ${data.node.name}`}
    >
      <span className={css.dot} />
      {label && (
        <span className={css.label} data-side={side}>
          {label}
          {port.required && !isTaken && <span className={css.needed}>*</span>}
        </span>
      )}
      {canAdd && (
        <button
          type="button"
          className={css.add}
          data-long={!!label || undefined}
          tabIndex={-1}
          aria-label={
            side === "output"
              ? `Add node after ${data.node.name}${port.label && ` (${port.label})`}`
              : `Add: ${port.label}`
          }
          onClick={(event) => {
            event.stopPropagation();
            openAddPanel({ from: end });
          }}
          onDoubleClick={(event) => event.stopPropagation()}
        >
          <Plus size={12} strokeWidth={2.25} aria-hidden />
        </button>
      )}
    </Handle>
  );
}

/** A name is only needed where there are several ports, or where it says what to connect. */
function portLabel(
  port: Port,
  side: "input" | "output",
  isOne: boolean,
  isDiamond: boolean,
  isCircle: boolean,
): string {
  if (isDiamond) return side === "input" && !isCircle ? port.label : "";
  return isOne && !port.isError ? "" : port.label;
}
