/** How a workflow is started, in a word, from the types of its nodes. */

import type { TriggerKind } from "../../api/spec";
import type { TypeLookup } from "../../graph/typeSpec";

const LABELS: Record<TriggerKind, string> = {
  manual: "Manual",
  webhook: "Webhook",
  form: "Form",
  mcp: "MCP",
  chat: "Chat",
  manualChat: "Chat",
  schedule: "Schedule",
  email: "Email",
  feed: "RSS",
  workflow: "Workflow",
  error: "Error",
};

/** Triggers that nothing outside can start; a workflow with only these cannot be active. */
const INTERNAL: readonly (TriggerKind | null | undefined)[] = [
  "manual",
  "manualChat",
  "workflow",
  "error",
];

/** The types that start a workflow. One that is not known, or not yet, is recognized by its name. */
function triggersOf(types: readonly string[], catalogue: TypeLookup): string[] {
  return types.filter((type) => {
    const spec = catalogue.find(type);
    return spec ? spec.group === "trigger" : /trigger$/i.test(type);
  });
}

export function triggerLabel(types: readonly string[], catalogue: TypeLookup): string[] {
  const words = triggersOf(types, catalogue).map((type) => {
    const kind = catalogue.find(type)?.trigger;
    return kind ? LABELS[kind] : type.slice(type.lastIndexOf(".") + 1).replace(/Trigger$/, "");
  });
  return [...new Set(words)];
}

/** Whether being active means anything for it: something outside must be able to start it. */
export function canActivate(types: readonly string[], catalogue: TypeLookup): boolean {
  return triggersOf(types, catalogue).some(
    (type) => !INTERNAL.includes(catalogue.find(type)?.trigger),
  );
}
