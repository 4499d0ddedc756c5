// A run as a list of steps in the order they happened, with whatever served a step hung beneath it. Pure: the drawer draws it.

import { indexOfRun, type NodeRunView, type RunView } from "../run/runView";

export interface LogStep {
  key: string;
  node: string;
  run: NodeRunView;
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
  const byNode = new Map<string, LogStep[]>();
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
  for (const step of all) {
    const steps = byNode.get(step.node);
    if (steps) steps.push(step);
    else byNode.set(step.node, [step]);
  }
  const roots: LogStep[] = [];
  for (const step of all) {
    const parent = step.run.served && parentOf(step, byNode.get(step.run.served.above) ?? []);
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
function parentOf(step: LogStep, above: readonly LogStep[]): LogStep | undefined {
  const named =
    step.run.served?.run === undefined
      ? undefined
      : above.find((other) => other.run.runIndex === step.run.served?.run);
  const found = named ?? above.findLast((other) => other.run.order < step.run.order) ?? above[0];
  return found === step ? undefined : found;
}

function itemsIn(view: RunView, run: NodeRunView): number | null {
  const sources = run.source.filter((source) => source !== null);
  if (sources.length === 0 || run.served) return null;
  let sum = 0;
  for (const source of sources) {
    const runs = view.nodes.get(source.node);
    const fed = runs?.[indexOfRun(runs, source.run)];
    sum +=
      fed?.outputs.find((output) => output.kind === "main" && output.index === source.output)
        ?.items ?? 0;
  }
  return sum;
}

function setDepth(step: LogStep, depth: number): void {
  step.depth = depth;
  for (const child of step.children) setDepth(child, depth + 1);
}
