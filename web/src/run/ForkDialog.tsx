// Goes another way from a step of an execution: what was done before it is taken as done, the rest is done anew, with another model
// if one is named.

import { useMemo, useState } from "react";
import { Field, FormDialog, Input, Select } from "../ui";
import { forkExecution } from "./executionActions";
import type { RunView } from "./runView";

interface ForkDialogProps {
  open: boolean;
  onClose: () => void;
  view: RunView;
  /** The step that is chosen at first, which may be one within an agent. */
  from?: { value: string; label: string };
  onForked: (executionId: string) => void;
}

export function ForkDialog({ open, onClose, view, from, onForked }: ForkDialogProps) {
  const steps = useMemo(() => listForkSteps(view), [view]);
  const models = useMemo(() => listModels(view), [view]);
  const [step, setStep] = useState<string | null>(null);
  const [model, setModel] = useState("");
  const options = from && !steps.some((one) => one.value === from.value) ? [from, ...steps] : steps;
  const chosen = step ?? from?.value ?? steps.at(-1)?.value;
  const fork = async () => {
    if (!chosen) return;
    const taken = await forkExecution(view.executionId, chosen, model.trim() || undefined);
    onForked(String(taken.id));
  };
  return (
    <FormDialog
      open={open}
      title={`Fork execution ${view.executionId}`}
      action="Fork"
      disabled={!chosen}
      onSubmit={fork}
      onClose={onClose}
    >
      <Field label="Start from step" hint="Earlier steps keep their results and are not run again.">
        <Select label="Start from step" value={chosen} onChange={setStep} options={options} />
      </Field>
      {models.length > 0 && (
        <Field
          label="Model"
          hint={`Used in every model node. Leave empty to keep the original (${models.join(", ")}).`}
        >
          <Input
            value={model}
            onChange={(event) => setModel(event.target.value)}
            placeholder={models[0]}
          />
        </Field>
      )}
    </FormDialog>
  );
}

/** Steps of the run itself, in the order they happened; a node that ran several times is forked at its last time. */
export function listForkSteps(view: RunView): { value: string; label: string; hint?: string }[] {
  const last = new Map<string, { order: number; n: number }>();
  for (const [node, runs] of view.nodes) {
    const own = runs.filter((run) => !run.served);
    const newest = own.at(-1);
    if (newest) last.set(node, { order: newest.order, n: own.length });
  }
  return [...last]
    .sort(([, a], [, b]) => a.order - b.order)
    .map(([node, { n }]) => ({
      value: node,
      label: node,
      hint: n > 1 ? `last of ${n} runs` : undefined,
    }));
}

/** The models that were asked: the nodes that gave one. */
function listModels(view: RunView): string[] {
  const told = view.spent.map((row) => row.model);
  if (told.length > 0) return [...new Set(told)];
  return [...view.nodes]
    .filter(([, runs]) => runs.some((run) => run.served?.kind === "ai_languageModel"))
    .map(([node]) => node);
}
