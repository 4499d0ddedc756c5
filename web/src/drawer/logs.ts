// A run as a list of steps in the order they happened, with whatever served a step hung beneath it. Pure: the drawer draws it.

import type { NodeRun, RunView } from "../run/view";

export interface LogStep {
  key: string;
  node: string;
  run: NodeRun;
  /** How often the node ran in all; a step says which time it was when there was more than one. */
  times: number;
  depth: number;
  /** Items that came in, where the record says from where. */
  itemsIn: number | null;
  itemsOut: number;
  children: LogStep[];
}

export function logTree(view: RunView): LogStep[] {
  const all: LogStep[] = [];
  for (const [node, runs] of view.nodes) {
    for (const run of runs) {
      const itemsOut = run.outputs.reduce((sum, output) => sum + output.items, 0);
      all.push({
        key: `${node} ${run.runIndex} ${run.served ? "s" : ""}`,
        node,
        run,
        times: runs.length,
        depth: 0,
        itemsIn: itemsIn(view, run),
        itemsOut,
        children: [],
      });
    }
  }
  all.sort((a, b) => a.run.order - b.run.order);
  const roots: LogStep[] = [];
  for (const step of all) {
    const parent = step.run.served && parentOf(step, all);
    if (parent) parent.children.push(step);
    else roots.push(step);
  }
  for (const root of roots) setDepth(root, 0);
  return roots;
}

/** The steps in sight, from top to bottom, when some are folded. */
export function visibleSteps(roots: readonly LogStep[], folded: ReadonlySet<string>): LogStep[] {
  const found: LogStep[] = [];
  const walk = (step: LogStep) => {
    found.push(step);
    if (!folded.has(step.key)) step.children.forEach(walk);
  };
  roots.forEach(walk);
  return found;
}

/** Which run of the node above a served one belongs to: the one its record names, or the last that had begun by then. */
function parentOf(step: LogStep, all: readonly LogStep[]): LogStep | undefined {
  const above = all.filter((other) => other !== step && other.node === step.run.served?.above);
  const named = above.find((other) => other.run.runIndex === step.run.served?.run);
  return named ?? above.findLast((other) => other.run.order < step.run.order) ?? above[0];
}

function itemsIn(view: RunView, run: NodeRun): number | null {
  const sources = run.source.filter((source) => source !== null);
  if (sources.length === 0 || run.served) return null;
  let sum = 0;
  for (const source of sources) {
    const fed = view.nodes.get(source.node)?.find((other) => other.runIndex === source.run);
    sum += fed?.outputs.find((output) => output.kind === "main" && output.index === source.output)?.items ?? 0;
  }
  return sum;
}

function setDepth(step: LogStep, depth: number): void {
  step.depth = depth;
  for (const child of step.children) setDepth(child, depth + 1);
}
