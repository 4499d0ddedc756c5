/** What the workflow may spend on models: tokens and money, for an execution, a session and a day. */

import { type BudgetScope, budgetLimit, withBudgetLimit } from "../graph/budget";
import { Field, NumberInput } from "../ui";
import css from "./BudgetFields.module.css";

const SCOPES: { scope: BudgetScope; label: string }[] = [
  { scope: "run", label: "Per execution" },
  { scope: "session", label: "Per session and day" },
  { scope: "day", label: "Per day" },
];

interface BudgetFieldsProps {
  settings: Record<string, unknown>;
  onChange: (settings: Record<string, unknown>) => void;
}

export function BudgetFields({ settings, onChange }: BudgetFieldsProps) {
  return (
    <fieldset className={css.budget}>
      <legend>Model budget</legend>
      <p className={css.hint}>
        Checked before every model call. Leave empty for no limit. Days are in UTC.
      </p>
      {SCOPES.map(({ scope, label }) => (
        <div key={scope} className={css.row}>
          <Field label={`${label}: max tokens`}>
            <NumberInput
              min={0}
              value={budgetLimit(settings, scope, "tokens")}
              onChange={(limit) => onChange(withBudgetLimit(settings, scope, "tokens", limit))}
            />
          </Field>
          <Field label="Max cost (US$)">
            <NumberInput
              min={0}
              step="any"
              value={budgetLimit(settings, scope, "dollars")}
              onChange={(limit) => onChange(withBudgetLimit(settings, scope, "dollars", limit))}
            />
          </Field>
        </div>
      ))}
    </fieldset>
  );
}
