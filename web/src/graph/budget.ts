/** What a workflow may spend on models, in its settings under `budget`. Pure. */

type Settings = Record<string, unknown>;

/** For one run with those it calls, for a session over a day, for all runs of a day. */
export type BudgetScope = "run" | "session" | "day";
export type BudgetUnit = "tokens" | "dollars";

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** The limit of a scope; nothing if there is none. */
export function budgetLimit(
  settings: Settings,
  scope: BudgetScope,
  unit: BudgetUnit,
): number | undefined {
  const limit = fieldsOf(fieldsOf(settings.budget)[scope])[unit];
  return typeof limit === "number" ? limit : undefined;
}

/** The settings with another limit; an empty budget is left out. */
export function withBudgetLimit(
  settings: Settings,
  scope: BudgetScope,
  unit: BudgetUnit,
  limit: number | undefined,
): Settings {
  const { budget: before, ...others } = settings;
  const { [scope]: own, ...scopes } = fieldsOf(before);
  const { [unit]: _, ...units } = fieldsOf(own);
  const limits = limit === undefined ? units : { ...units, [unit]: limit };
  const budget = Object.keys(limits).length > 0 ? { ...scopes, [scope]: limits } : scopes;
  return Object.keys(budget).length > 0 ? { ...others, budget } : others;
}
