/** What is looked for in a memory. It lives in the address, so a view can be shared. */

import { type ReactNode, useEffect, useState } from "react";
import { useSearchParams } from "wouter";
import { SPANS } from "../../run/executionFilters";
import layout from "../../shared/layout.module.css";
import { Button, Checkbox, Input, SearchInput, Select, useDebounced } from "../../ui";
import styles from "./Memory.module.css";
import { KINDS, type MemoryFilters } from "./memoryEntries";

/** Each search is counted in the statistics, so it waits until somebody has finished typing. */
const TYPING_PAUSE_MS = 500;

export function EntryFilters({ filters }: { filters: MemoryFilters }) {
  const [params, setParams] = useSearchParams();
  const set = (name: string, value: string | undefined) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
  return (
    <div className={styles.filters} role="search" aria-label="Entries">
      <TypedFilter value={filters.words} onChange={(text) => set("q", text)}>
        {(typed, type) => (
          <SearchInput
            className={layout.search}
            label="Search entries"
            placeholder="Search by meaning or words"
            value={typed}
            onChange={type}
          />
        )}
      </TypedFilter>
      <TypedFilter value={filters.subject} onChange={(text) => set("subject", text)}>
        {(typed, type) => (
          <Input
            className={styles.subject}
            aria-label="Subject"
            placeholder="Any user or session"
            value={typed}
            onChange={(event) => type(event.target.value)}
          />
        )}
      </TypedFilter>
      <Select
        className={layout.choice}
        label="Kind"
        value={filters.kind ?? ""}
        options={[{ value: "", label: "Any kind" }, ...KINDS]}
        onChange={(value) => set("kind", value)}
      />
      <Select
        className={layout.choice}
        label="Valid from"
        value={filters.since ?? ""}
        options={[{ value: "", label: "Any time" }, ...SPANS]}
        onChange={(value) => set("since", value)}
      />
      <Checkbox
        checked={filters.withOld}
        onChange={(is) => set("old", is ? "1" : undefined)}
        label="Replaced and expired"
      />
      {params.size > 0 && (
        <Button kind="quiet" size="small" onClick={() => setParams({}, { replace: true })}>
          Clear
        </Button>
      )}
    </div>
  );
}

interface TypedFilterProps {
  value: string;
  onChange: (value: string) => void;
  children: (typed: string, type: (text: string) => void) => ReactNode;
}

/** Takes over what is typed once the typing pauses; a value from elsewhere replaces it. */
function TypedFilter({ value, onChange, children }: TypedFilterProps) {
  const [typed, setTyped] = useState(value);
  const paused = useDebounced(typed, TYPING_PAUSE_MS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the typing has paused.
  useEffect(() => {
    if (paused === typed && paused !== value) onChange(paused);
  }, [paused]);
  useEffect(() => {
    setTyped(value);
  }, [value]);
  return children(typed, setTyped);
}
