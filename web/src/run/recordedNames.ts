// Nodes that were renamed after a run: the run is shown under the names they have now, and its record is asked by the names they had.

import type { NewNames } from "../graph/renameReferences";
import type { NodeRunView, RunView } from "./runView";

/** For each execution, the recorded names of nodes by the names they have now. */
const recorded = new Map<string, Map<string, string>>();
/** Views that have the names of now already. */
const current = new WeakSet<RunView>();

/** The name under which the record of an execution knows a node. */
export function recordedName(executionId: string | null | undefined, node: string): string {
  return (executionId && recorded.get(executionId)?.get(node)) || node;
}

/** All nodes that an execution knows under another name: recorded names by the names of now. */
export function recordedNames(executionId: string | null | undefined): NewNames {
  return (executionId && recorded.get(executionId)) || NO_NAMES;
}

/** Takes note of nodes that have new names and gives the view with these. */
export function renameInRun(view: RunView, names: NewNames): RunView {
  const { executionId } = view;
  if (names.size === 0 || executionId === "") return view;
  const known = new Map(recorded.get(executionId));
  const old = new Map([...names].map(([from]) => [from, known.get(from) ?? from]));
  for (const from of names.keys()) known.delete(from);
  for (const [from, to] of names) {
    const name = old.get(from) ?? from;
    if (name !== to) known.set(to, name);
  }
  recorded.set(executionId, known);
  return renamed(view, names);
}

/** A view as the server tells it, with the names that the nodes have now. */
export function withCurrentNames(view: RunView): RunView {
  const known = recorded.get(view.executionId);
  if (!known || known.size === 0 || current.has(view)) return view;
  return renamed(view, new Map([...known].map(([now, then]) => [then, now])));
}

function renamed(view: RunView, names: NewNames): RunView {
  const nameNow = (name: string) => names.get(name) ?? name;
  const waiting = view.waiting && { ...view.waiting, node: nameNow(view.waiting.node) };
  const failed = view.error?.node;
  const result: RunView = {
    ...view,
    nodes: new Map([...view.nodes].map(([name, runs]) => [nameNow(name), renameRuns(runs, names)])),
    answers: new Map([...view.answers].map(([name, answer]) => [nameNow(name), answer])),
    waiting,
    ...(view.error && typeof failed === "string" && names.has(failed)
      ? { error: { ...view.error, node: nameNow(failed) } }
      : {}),
  };
  current.add(result);
  return result;
}

/** The same list where none of its steps has to do with a renamed node. */
function renameRuns(runs: NodeRunView[], names: NewNames): NodeRunView[] {
  const isTouched = (run: NodeRunView) =>
    (run.served && names.has(run.served.above)) ||
    run.source.some((source) => source && names.has(source.node));
  if (!runs.some(isTouched)) return runs;
  return runs.map((run) => ({
    ...run,
    served: run.served && {
      ...run.served,
      above: names.get(run.served.above) ?? run.served.above,
    },
    source: run.source.map(
      (source) => source && { ...source, node: names.get(source.node) ?? source.node },
    ),
  }));
}

const NO_NAMES: NewNames = new Map();
