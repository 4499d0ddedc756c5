/** What a node could be connected with, what it is connected with already, and why nothing else comes into question. */

import type { Edge, WorkflowDocument } from "../api/workflowDocument";
import { type ConnectionEnd, connectionProblem } from "./connectionRules";
import { STICKY_NOTE } from "./document";
import { edgesOf } from "./edges";
import { toCanvas } from "./geometry";
import { scoreText } from "./nodeSearch";
import { isSubNodeKind, kindLabel, type Port, type Ports } from "./ports";

/** One way to connect two nodes, as a line of the list from which it is chosen. */
export interface PossibleConnection {
  /** The other node. */
  node: string;
  /** Which ends meet, such as `true → input 2`. */
  text: string;
  own: ConnectionEnd;
  other: ConnectionEnd;
}

export interface RefusedConnection {
  node: string;
  reason: string;
}

export interface ExistingConnection {
  node: string;
  text: string;
  edge: Edge;
}

export interface ConnectOptions {
  possible: PossibleConnection[];
  present: ExistingConnection[];
  refused: RefusedConnection[];
}

/** All joins of a node: what can follow it before what can come before it, of both the nearest first. */
export function listConnectOptions(
  document: WorkflowDocument,
  portsOf: (name: string) => Ports | undefined,
  name: string,
): ConnectOptions {
  const ports = portsOf(name);
  const joins: ConnectOptions = {
    possible: [],
    present: existingConnections(document, portsOf, name),
    refused: [],
  };
  if (!ports) return joins;
  for (const node of nearestFirst(document, name)) {
    const others = portsOf(node);
    if (!others) continue;
    const ways = [
      ...possibleBetween(name, ports, "output", node, others),
      ...possibleBetween(name, ports, "input", node, others),
    ];
    const free = ways.filter(
      ({ own, other }) => connectionProblem(document, portsOf, own, other) === null,
    );
    joins.possible.push(...free);
    const isJoined = joins.present.some((present) => present.node === node);
    if (free.length === 0 && !isJoined)
      joins.refused.push({
        node,
        reason: refusalReason(document, portsOf, name, ports, node, others, ways),
      });
  }
  // What follows is what one mostly wants to connect, so it comes first, however near the rest is.
  joins.possible.sort(
    (one, other) => Number(one.own.side === "input") - Number(other.own.side === "input"),
  );
  return joins;
}

/** Those whose name has what was typed; a query that names a port finds it too. */
export function filterByQuery<T extends { node: string; text?: string }>(
  list: readonly T[],
  query: string,
): T[] {
  const words = query.toLowerCase().trim();
  return words === ""
    ? [...list]
    : list.filter(
        ({ node, text }) => scoreText(node, words) > 0 || (text && scoreText(text, words) > 0.5),
      );
}

function existingConnections(
  document: WorkflowDocument,
  portsOf: (name: string) => Ports | undefined,
  name: string,
): ExistingConnection[] {
  return edgesOf(document)
    .filter((edge) => edge.from === name || edge.to === name)
    .map((edge) => {
      const output = portOf(portsOf(edge.from)?.outputs, edge.kind, edge.output);
      const input = portOf(portsOf(edge.to)?.inputs, edge.kind, edge.input);
      const isFrom = edge.from === name;
      return {
        node: isFrom ? edge.to : edge.from,
        text: connectionLabel(isFrom, edge.kind, output, input),
        edge,
      };
    });
}

function possibleBetween(
  name: string,
  ports: Ports,
  side: ConnectionEnd["side"],
  node: string,
  others: Ports,
): PossibleConnection[] {
  const [mine, theirs] =
    side === "output" ? [ports.outputs, others.inputs] : [ports.inputs, others.outputs];
  const opposite = side === "output" ? "input" : "output";
  return mine.flatMap((port) =>
    theirs
      .filter((other) => other.kind === port.kind)
      .map((other) => ({
        node,
        text:
          side === "output"
            ? connectionLabel(true, port.kind, port, other)
            : connectionLabel(false, port.kind, other, port),
        own: { node: name, side, kind: port.kind, index: port.index },
        other: { node, side: opposite, kind: other.kind, index: other.index },
      })),
  );
}

/** Says of a line what it carries and, where ports have names, between which of them. */
function connectionLabel(
  isFrom: boolean,
  kind: string,
  output: Port | undefined,
  input: Port | undefined,
): string {
  if (isSubNodeKind(kind)) {
    const what = (input?.label || kindLabel(kind)).toLowerCase();
    return isFrom ? `uses this node as ${what}` : `provides this node's ${what}`;
  }
  const ends = [output?.label && `from “${output.label}”`, input?.label && `into “${input.label}”`]
    .filter(Boolean)
    .join(" ");
  const way = isFrom ? "runs after this node" : "runs before this node";
  return ends ? `${way}, ${ends}` : way;
}

function refusalReason(
  document: WorkflowDocument,
  portsOf: (name: string) => Ports | undefined,
  name: string,
  ports: Ports,
  node: string,
  others: Ports,
  ways: readonly PossibleConnection[],
): string {
  const [way] = ways;
  if (way) return connectionProblem(document, portsOf, way.own, way.other) ?? "";
  const output = ports.outputs[0];
  const input = others.inputs[0];
  if (output && input)
    return (
      connectionProblem(
        document,
        portsOf,
        endOf(name, "output", output),
        endOf(node, "input", input),
      ) ?? ""
    );
  if (!output && !others.outputs[0]) return "Neither node has an output.";
  return output ? `“${node}” is a trigger and has no input.` : `“${name}” has no output.`;
}

function endOf(node: string, side: ConnectionEnd["side"], { kind, index }: Port): ConnectionEnd {
  return { node, side, kind, index };
}

function portOf(ports: readonly Port[] | undefined, kind: string, index: number): Port | undefined {
  return ports?.find((port) => port.kind === kind && port.index === index);
}

function nearestFirst(document: WorkflowDocument, name: string): string[] {
  const here = toCanvas(document.nodes.find((node) => node.name === name)?.position);
  return document.nodes
    .filter((node) => node.name !== name && node.type !== STICKY_NOTE)
    .map((node) => {
      const at = toCanvas(node.position);
      return { name: node.name, far: Math.hypot(at.x - here.x, at.y - here.y) };
    })
    .sort((one, other) => one.far - other.far)
    .map((one) => one.name);
}
