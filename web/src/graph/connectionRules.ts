/** Which connections can be, and in words why another cannot. */

import type { Edge, WorkflowDocument } from "../api/workflowDocument";
import { edgesOf, isConnected, MAIN } from "./edges";
import { isSubNodeKind, kindLabel, type Ports } from "./ports";

/** One end of a line that is being drawn. */
export interface ConnectionEnd {
  node: string;
  side: "input" | "output";
  kind: string;
  index: number;
}

/** The connection between two ends, whichever was drawn from. */
export function edgeBetween(one: ConnectionEnd, other: ConnectionEnd): Edge | null {
  const [from, to] = one.side === "output" ? [one, other] : [other, one];
  if (from.side !== "output" || to.side !== "input") return null;
  return { kind: from.kind, from: from.node, output: from.index, to: to.node, input: to.index };
}

/** Why two ends cannot be connected; `null` if they can. */
export function connectionProblem(
  document: WorkflowDocument,
  portsOf: (name: string) => Ports | undefined,
  one: ConnectionEnd,
  other: ConnectionEnd,
): string | null {
  const edge = edgeBetween(one, other);
  if (!edge) {
    return one.side === "output"
      ? "Both ends are outputs. Draw from an output to an input."
      : "Both ends are inputs. Draw from an output to an input.";
  }
  if (one.kind !== other.kind) return kindMismatch(one, other);
  if (edge.from === edge.to && isSubNodeKind(edge.kind)) return "A node cannot connect to itself.";
  if (isConnected(document, edge)) return "These nodes are already connected.";
  const port = portsOf(edge.to)?.inputs.find(
    (input) => input.kind === edge.kind && input.index === edge.input,
  );
  if (!port && portsOf(edge.to)?.known === "yes") return `“${edge.to}” does not have this input.`;
  const circle = isSubNodeKind(edge.kind) ? findCycle(document, edge) : null;
  if (circle) return `This would create a cycle: ${circle.join(" → ")}.`;
  return null;
}

function kindMismatch(one: ConnectionEnd, other: ConnectionEnd): string {
  const [from, to] = one.side === "output" ? [one, other] : [other, one];
  if (from.kind === MAIN)
    return `This input takes ${withArticle(to.kind)}, not items. Connect a node that provides ${withArticle(to.kind)}.`;
  if (to.kind === MAIN)
    return `“${from.node}” provides ${withArticle(from.kind)} and cannot pass items.`;
  return `“${from.node}” provides ${withArticle(from.kind)}, but this input takes ${withArticle(to.kind)}.`;
}

function withArticle(kind: string): string {
  if (kind === MAIN) return "items";
  const word = kindLabel(kind).toLowerCase();
  if (word.endsWith("s")) return word;
  return `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`;
}

/** The nodes of the circle that a new supply would close. */
function findCycle(document: WorkflowDocument, added: Edge): string[] | null {
  const next = new Map<string, string[]>();
  for (const edge of edgesOf(document)) {
    if (!isSubNodeKind(edge.kind)) continue;
    next.set(edge.from, [...(next.get(edge.from) ?? []), edge.to]);
  }
  const ways: string[][] = [[added.from, added.to]];
  const seen = new Set([added.to]);
  for (let way = ways.shift(); way; way = ways.shift()) {
    const at = way[way.length - 1] as string;
    if (at === added.from) return way;
    for (const name of next.get(at) ?? []) {
      if (name === added.from) return [...way, name];
      if (!seen.has(name)) {
        seen.add(name);
        ways.push([...way, name]);
      }
    }
  }
  return null;
}

/** A port that takes only one connection lets the earlier one go. These are the ones to remove before `edge` is made. */
export function replacedEdges(
  document: WorkflowDocument,
  portsOf: (name: string) => Ports | undefined,
  edge: Edge,
): Edge[] {
  const port = portsOf(edge.to)?.inputs.find(
    (input) => input.kind === edge.kind && input.index === edge.input,
  );
  if (!port || port.maxConnections > 1) return [];
  return edgesOf(document).filter(
    (other) => other.kind === edge.kind && other.to === edge.to && other.input === edge.input,
  );
}
