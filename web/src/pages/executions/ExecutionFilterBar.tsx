// Filters as chips that can be taken away, and a menu for each that is not set. They live in the address, so a view can be shared.

import { CircleX } from "lucide-react";
import { useLocation, useSearchParams } from "wouter";
import {
  type ExecutionFilters,
  FILTER_NAMES,
  type FilterName,
  MODES,
  SPANS,
  STATUSES,
  withFilter,
} from "../../run/executionFilters";
import layout from "../../shared/layout.module.css";
import { Button, Chip, Select } from "../../ui";

const FILTER_LABELS: Record<FilterName, string> = {
  status: "Status",
  workflow: "Workflow",
  mode: "Trigger",
  since: "Time",
};

/** What stands in a filter that is not set. */
const NONE: Record<FilterName, string> = {
  status: "Any status",
  workflow: "Any workflow",
  mode: "Any trigger",
  since: "Any time",
};

export function ExecutionFilterBar({
  filters,
  names,
}: {
  filters: ExecutionFilters;
  names: ReadonlyMap<string, string>;
}) {
  const [params, setParams] = useSearchParams();
  const [, go] = useLocation();
  const options: Record<FilterName, { value: string; label: string }[]> = {
    status: STATUSES,
    workflow: [...names].map(([value, label]) => ({ value, label })),
    mode: MODES,
    since: SPANS,
  };
  const set = (name: FilterName, value: string | undefined) =>
    setParams(withFilter(params, name, value));
  const given = FILTER_NAMES.filter((name) => filters[name]);
  return (
    <div className={layout.toolbar} role="group" aria-label="Filters">
      {given.map((name) => {
        const value = filters[name] ?? "";
        const label = options[name].find((option) => option.value === value)?.label ?? value;
        return (
          <Chip
            key={name}
            tone="accent"
            label={`${FILTER_LABELS[name]}: ${label}`}
            onRemove={() => set(name, undefined)}
            removeLabel={`Remove filter ${FILTER_LABELS[name]}: ${label}`}
          />
        );
      })}
      {FILTER_NAMES.filter((name) => !filters[name]).map((name) => (
        <Select
          key={name}
          className={layout.choice}
          label={`Filter by ${FILTER_LABELS[name].toLowerCase()}`}
          placeholder={NONE[name]}
          value={undefined}
          onChange={(value) => set(name, value)}
          options={options[name]}
        />
      ))}
      {given.length > 1 && (
        <Button kind="quiet" icon={CircleX} onClick={() => go("/executions")}>
          Clear all
        </Button>
      )}
    </div>
  );
}
