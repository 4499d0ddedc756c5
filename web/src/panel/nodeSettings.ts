/** What happens around a node's work: switches and choices that every node has, with what the document leaves out filled in. */

import type { WorkflowNode } from "../api/workflowDocument";

export type OnError = NonNullable<WorkflowNode["onError"]>;

export const ON_ERROR_OPTIONS: readonly { value: OnError; label: string; hint: string }[] = [
  { value: "stopWorkflow", label: "Stop the workflow", hint: "The execution fails at this node." },
  {
    value: "continueRegularOutput",
    label: "Continue",
    hint: "Passes the error as an item to the regular output.",
  },
  {
    value: "continueErrorOutput",
    label: "Continue (error output)",
    hint: "Passes failed items to a separate output.",
  },
];

/** Older workflows say `continueOnFail` instead. */
export function onErrorOf(node: WorkflowNode): OnError {
  return node.onError ?? (node.continueOnFail ? "continueRegularOutput" : "stopWorkflow");
}

export const TRIES_RANGE = { least: 2, most: 5, preset: 3 };
export const WAIT_RANGE_MS = { least: 0, most: 5000, preset: 1000 };

/** Whether somebody has to say that a step may run twice: a trigger starts runs, and some nodes change nothing anyway. */
export function needsRepeatChoice(
  type: { group: string; repeatable?: boolean } | undefined,
): boolean {
  return type?.group !== "trigger" && type?.repeatable !== true;
}

/** Whether failed items can have an output of their own: only where items leave the node at all. */
export function canSplitErrors(outputs: readonly { kind: string }[] | undefined): boolean {
  return outputs?.some((port) => port.kind === "main") ?? true;
}
