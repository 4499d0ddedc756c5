/**
 * The templates of which a description makes the line under a node's name: `{path}` is the value of a parameter, `{path?text}` has a
 * text for one that is not set, `{path=value}` shows nothing but must have this value, and `{path:filter word}` says how a value is
 * shown.
 */

import { valueAt } from "./document";

type Parameters = Record<string, unknown>;
/** A value as it is shown; `undefined` or nothing if it says nothing. `word` stands behind the filter's name. */
type Filter = (value: unknown, word: string, parameters: Parameters) => string | undefined;

const PLACEHOLDER = /\{([^{}?=:]+)(?:\?([^{}=:]*))?(?:=([^{}:]*))?(?::(\w+)(?: ([^{}]*))?)?\}/g;

/** The text of a template; `undefined` if a value that it needs is not there. */
export function fillTemplate(template: string, parameters: Parameters): string | undefined {
  let isFilled = true;
  const line = template.replace(
    PLACEHOLDER,
    (_, path: string, unset?: string, wanted?: string, filter?: string, word?: string) => {
      const value = valueAt(parameters, path) ?? unset;
      if (wanted !== undefined) {
        isFilled &&= value === wanted;
        return "";
      }
      const text = FILTERS[filter ?? "value"]?.(value, word ?? "", parameters);
      if (!text) isFilled = false;
      return text ?? "";
    },
  );
  return isFilled ? line : undefined;
}

const FILTERS: Readonly<Record<string, Filter>> = {
  value: valueText,
  url: (value) =>
    text(value)
      ?.replace(/^https?:\/\//, "")
      .replace(/\?.*$/, ""),
  list: (value) => (Array.isArray(value) ? value.join(", ") : text(value)),
  name: (value) => (isUuid(text(value) ?? "") ? undefined : text(value)),
  names: (value) =>
    entriesOf(value)
      .map((entry) => text(entry.name) ?? "")
      .filter(Boolean)
      .join(", "),
  count: (value, word) => {
    const { length } = entriesOf(value);
    return length === 0 ? undefined : `${length} ${length === 1 ? word : `${word}s`}`;
  },
  locator: locatorName,
  conditions: (value) => {
    const [first, ...more] = entriesOf(value);
    return more.length > 0 ? `${more.length + 1} conditions` : first && conditionText(first);
  },
  schedule: (value) => {
    const [first, ...more] = entriesOf(value);
    return first && intervalText(first) + (more.length > 0 ? ` and ${more.length} more` : "");
  },
  plural: (value, amount, parameters) =>
    valueAt(parameters, amount) === 1 ? text(value)?.replace(/s$/, "") : text(value),
};

function entriesOf(value: unknown): Parameters[] {
  return Array.isArray(value) ? value : [];
}

function conditionText(condition: Parameters): string {
  const operation = text(valueAt(condition, "operator.operation")) ?? "";
  return [valueText(condition.leftValue), humanize(operation), valueText(condition.rightValue)]
    .filter(Boolean)
    .join(" ");
}

function intervalText(rule: Parameters): string {
  const field = text(rule.field) ?? "days";
  if (field === "cronExpression") return text(rule.expression) ?? "Cron";
  const key = `${field}Interval`;
  const count = typeof rule[key] === "number" ? (rule[key] as number) : 1;
  const every = count === 1 ? `Every ${field.replace(/s$/, "")}` : `Every ${count} ${field}`;
  if (field !== "days" && field !== "weeks" && field !== "months") return every;
  const hour = typeof rule.triggerAtHour === "number" ? rule.triggerAtHour : 0;
  const minute = typeof rule.triggerAtMinute === "number" ? rule.triggerAtMinute : 0;
  return `${every} at ${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

export function locatorValue(value: unknown): string | undefined {
  return text(value) ?? text(valueAt(value, ["value"]));
}

function locatorName(value: unknown): string | undefined {
  return text(valueAt(value, ["cachedResultName"])) ?? locatorValue(value);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== ""
    ? expressionText(value.trim())
    : undefined;
}

/** An expression without its brackets, which only take room here. */
function expressionText(value: string): string {
  return value.startsWith("=") ? value.slice(1).replace(/\{\{\s*(.*?)\s*\}\}/g, "$1") : value;
}

function valueText(value: unknown): string {
  return (
    text(value) ?? (typeof value === "number" || typeof value === "boolean" ? String(value) : "")
  );
}

/** `notEquals` becomes `not equals`. */
export function humanize(name: string): string {
  const spaced = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .toLowerCase();
  return { equals: "=", "not equals": "≠", gt: ">", lt: "<", gte: "≥", lte: "≤" }[spaced] ?? spaced;
}

function isUuid(value: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(value);
}
