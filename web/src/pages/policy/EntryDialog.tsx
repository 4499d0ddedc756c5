/** A rule, limit or effect as a form. It becomes a part of the text; nothing is in force until that is saved. */

import { useState } from "react";
import layout from "../../shared/layout.module.css";
import { Field, FormDialog, Input, NumberInput, Select } from "../../ui";
import { FilterFields } from "./FilterFields";
import {
  ACTIONS,
  EFFECTS,
  type EntryKind,
  entryProblems,
  isCount,
  isWindow,
  type PolicyEntry,
  SCOPES,
} from "./policyEntry";
import { ACTION_WORDS, EFFECT_WORDS, SCOPE_WORDS } from "./policyWords";

interface EntryDialogProps {
  entry: PolicyEntry;
  isNew: boolean;
  /** Puts it into the text; throws where the text cannot be changed by a form. */
  onSave: (entry: PolicyEntry) => void;
  onClose: () => void;
}

const NOUNS: Record<EntryKind, string> = {
  rule: "rule",
  limit: "limit",
  effect: "effect",
  stop: "stop",
};

export function EntryDialog({ entry: given, isNew, onSave, onClose }: EntryDialogProps) {
  const [entry, setEntry] = useState(given);
  const set = (change: Partial<PolicyEntry>) => setEntry((now) => ({ ...now, ...change }));
  const noun = NOUNS[entry.kind];
  return (
    <FormDialog
      title={`${isNew ? "Add" : "Edit"} ${noun}`}
      size="large"
      action={isNew ? `Add ${noun}` : "Apply"}
      invalid={entryProblems(entry).length > 0}
      onSubmit={() => onSave(entry)}
      onClose={onClose}
    >
      {entry.kind === "effect" ? (
        <OutcomeFields entry={entry} onChange={set} />
      ) : (
        <div className={layout.columns}>
          <Field label="Name" hint="Shown to people and models that meet it.">
            <Input
              value={entry.name}
              onChange={(event) => set({ name: event.target.value })}
              placeholder="payments above 100"
            />
          </Field>
          <OutcomeFields entry={entry} onChange={set} />
        </div>
      )}
      {entry.kind === "rule" && (
        <Field label="Reason" hint="The model is told it with a refusal.">
          <Input
            value={entry.reason}
            onChange={(event) => set({ reason: event.target.value })}
            placeholder="Mail to customers goes through the help desk."
          />
        </Field>
      )}
      <FilterFields entry={entry} onChange={set} />
    </FormDialog>
  );
}

interface OutcomeFieldsProps {
  entry: PolicyEntry;
  onChange: (change: Partial<PolicyEntry>) => void;
}

/** What becomes of the calls that match. */
function OutcomeFields({ entry, onChange }: OutcomeFieldsProps) {
  if (entry.kind === "rule") {
    return (
      <Field label="What happens">
        <Select
          label="What happens"
          value={entry.action}
          options={ACTIONS.map((value) => ({
            value,
            label: ACTION_WORDS[value]?.label ?? value,
            hint: ACTION_WORDS[value]?.hint,
          }))}
          onChange={(action) => onChange({ action })}
        />
      </Field>
    );
  }
  if (entry.kind === "effect") {
    return (
      <Field label="What the tools do">
        <Select
          label="What the tools do"
          value={entry.effect}
          options={EFFECTS.map((value) => ({ value, label: EFFECT_WORDS[value] ?? value }))}
          onChange={(effect) => onChange({ effect })}
        />
      </Field>
    );
  }
  return (
    <>
      <Field label="Counted">
        <Select
          label="Counted"
          value={entry.per}
          options={SCOPES.map((value) => ({ value, label: SCOPE_WORDS[value] ?? value }))}
          onChange={(per) => onChange({ per })}
        />
      </Field>
      <Field
        label="Calls"
        required
        problem={isCount(entry.calls) ? undefined : "Enter a whole number from 0."}
      >
        <NumberInput min={0} value={entry.calls} onChange={(calls) => onChange({ calls })} />
      </Field>
      <Field
        label="Within seconds"
        required
        hint="3600 is an hour, 86400 a day."
        problem={isWindow(entry.seconds) ? undefined : "Enter 1 second to 31 days."}
      >
        <NumberInput min={1} value={entry.seconds} onChange={(seconds) => onChange({ seconds })} />
      </Field>
    </>
  );
}
