/** Which run and which output of a node is looked at, with the choices there are. */

import type { DataSource } from "../data/dataSource";
import type { NodeRunView, RunView } from "../run/runView";

export interface OutputChoice {
  kind: string;
  index: number;
  label: string;
  items: number;
}

/** The outputs of a run, named after the node's ports; ports that gave nothing are there too. */
export function outputChoices(
  run: NodeRunView | undefined,
  ports: readonly { kind: string; index: number; label: string }[],
): OutputChoice[] {
  const counted = run?.outputs ?? [];
  const kinds = new Set(counted.map((output) => output.kind));
  const named = ports.filter((port) => kinds.size === 0 || kinds.has(port.kind));
  const found = new Map<string, OutputChoice>();
  const key = (kind: string, index: number) => `${kind} ${index}`;
  for (const port of named) {
    found.set(key(port.kind, port.index), {
      kind: port.kind,
      index: port.index,
      label: port.label || `Output ${port.index + 1}`,
      items: 0,
    });
  }
  for (const output of counted) {
    const known = found.get(key(output.kind, output.index));
    found.set(key(output.kind, output.index), {
      kind: output.kind,
      index: output.index,
      label: known?.label ?? `Output ${output.index + 1}`,
      items: output.items,
    });
  }
  return [...found.values()];
}

/** The output to look at first: the one with data. */
export function fullestOutput(choices: readonly OutputChoice[]): number {
  const withItems = choices.findIndex((choice) => choice.items > 0);
  return Math.max(0, withItems);
}

export function listNodeRuns(view: RunView | null, node: string): readonly NodeRunView[] {
  return view?.nodes.get(node) ?? NO_RUNS;
}

const NO_RUNS: readonly NodeRunView[] = [];

/** Which run of a node before fed this run of the node; the last one where that is not known. */
export function feedingRun(
  run: NodeRunView | undefined,
  source: string,
  sourceRuns: readonly NodeRunView[],
): number {
  const told = run?.source.find((one) => one?.node === source);
  return told?.run ?? sourceRuns.at(-1)?.runIndex ?? 0;
}

/** Changes when there is something new to read of a run. */
export function runVersion(view: RunView | null, run: NodeRunView | undefined): string {
  return `${view?.status} ${run?.status} ${run?.outputs.map((output) => output.items).join(",")}`;
}

/** Where the items of one output of one run are read. */
export function runSource(
  view: RunView | null,
  node: string,
  run: NodeRunView | undefined,
  output: OutputChoice | undefined,
): DataSource | null {
  if (!view || !run || !output) return null;
  const { executionId } = view;
  return {
    kind: "run",
    executionId,
    node,
    run: run.runIndex,
    output: output.index,
    connection: output.kind,
    version: runVersion(view, run),
  };
}
