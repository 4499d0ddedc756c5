/** What happens around a node's work: switches and choices that every node has, with what the document leaves out filled in. */

import type { WorkflowNode } from "../graph/types";

export type OnError = NonNullable<WorkflowNode["onError"]>;

export const ON_ERROR: readonly { value: OnError; label: string; hint: string }[] = [
  { value: "stopWorkflow", label: "Stop the workflow", hint: "The run fails here." },
  { value: "continueRegularOutput", label: "Continue", hint: "The error goes on as an item of the usual output." },
  { value: "continueErrorOutput", label: "Continue on an error output", hint: "Failed items leave by an output of their own." },
];

/** Older workflows say `continueOnFail` instead. */
export function onErrorOf(node: WorkflowNode): OnError {
  return node.onError ?? (node.continueOnFail ? "continueRegularOutput" : "stopWorkflow");
}

export const TRIES = { least: 2, most: 5, preset: 3 };
export const WAIT_MS = { least: 0, most: 5000, preset: 1000 };

/** Whether failed items can have an output of their own: only where items leave the node at all. */
export function canSplitErrors(outputs: readonly { kind: string }[] | undefined): boolean {
  return outputs?.some((port) => port.kind === "main") ?? true;
}
