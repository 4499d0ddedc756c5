/** Which connections can be, and in words why another cannot. */
import { edgesOf, isConnected, MAIN } from "./edges";
import { isSupply, kindWord, type Ports } from "./ports";
import type { Edge, WorkflowDocument } from "./types";

/** One end of a line that is being drawn. */
export interface End {
  node: string;
  side: "input" | "output";
  kind: string;
  index: number;
}

/** The connection between two ends, whichever was drawn from. */
export function edgeBetween(one: End, other: End): Edge | null {
  const [from, to] = one.side === "output" ? [one, other] : [other, one];
  if (from.side !== "output" || to.side !== "input") return null;
  return { kind: from.kind, from: from.node, output: from.index, to: to.node, input: to.index };
}

/** Why two ends cannot be connected; `null` if they can. */
export function refuse(
  document: WorkflowDocument,
  portsOf: (name: string) => Ports | undefined,
  one: End,
  other: End,
): string | null {
  const edge = edgeBetween(one, other);
  if (!edge) {
    return one.side === "output"
      ? "Both ends are outputs. Draw from an output to an input."
      : "Both ends are inputs. Draw from an output to an input.";
  }
  if (one.kind !== other.kind) return differentKinds(one, other);
  if (edge.from === edge.to && isSupply(edge.kind)) return "A node cannot serve itself.";
  if (isConnected(document, edge)) return "These two are connected already.";
  const port = portsOf(edge.to)?.inputs.find((input) => input.kind === edge.kind && input.index === edge.input);
  if (!port && portsOf(edge.to)?.known === "yes") return `“${edge.to}” has no such input.`;
  const circle = isSupply(edge.kind) ? circleWith(document, edge) : null;
  if (circle) return `That would be a circle: ${circle.join(" → ")}. A node cannot need itself to work.`;
  return null;
}

function differentKinds(one: End, other: End): string {
  const [from, to] = one.side === "output" ? [one, other] : [other, one];
  if (from.kind === MAIN)
    return `This input takes ${withArticle(to.kind)}, not items. Connect a node that gives ${withArticle(to.kind)}.`;
  if (to.kind === MAIN)
    return `“${from.node}” gives ${withArticle(from.kind)} to another node and takes no part in the flow of items.`;
  return `“${from.node}” gives ${withArticle(from.kind)}, but this input takes ${withArticle(to.kind)}.`;
}

function withArticle(kind: string): string {
  if (kind === MAIN) return "items";
  const word = kindWord(kind).toLowerCase();
  if (word.endsWith("s")) return word;
  return `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`;
}

/** The nodes of the circle that a new supply would close. */
function circleWith(document: WorkflowDocument, added: Edge): string[] | null {
  const next = new Map<string, string[]>();
  for (const edge of edgesOf(document)) {
    if (!isSupply(edge.kind)) continue;
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
export function replaced(document: WorkflowDocument, portsOf: (name: string) => Ports | undefined, edge: Edge): Edge[] {
  const port = portsOf(edge.to)?.inputs.find((input) => input.kind === edge.kind && input.index === edge.input);
  if (!port || port.most > 1) return [];
  return edgesOf(document).filter((other) => other.kind === edge.kind && other.to === edge.to && other.input === edge.input);
}
