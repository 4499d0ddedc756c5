/** The view of the list, kept in the address: going back brings it back. */
import { useCallback, useMemo } from "react";
import { useSearchParams } from "wouter";
import { readView, type View, writeView } from "./rows";

export function useView(): [View, (change: Partial<View>) => void] {
  const [query, setQuery] = useSearchParams();
  const view = useMemo(() => readView(query), [query]);
  const change = useCallback(
    (next: Partial<View>) => {
      // Typing replaces the entry of the history, everything else adds one.
      const replace = Object.keys(next).every((key) => key === "text");
      setQuery((before) => writeView({ ...readView(before), ...next }), { replace });
    },
    [setQuery],
  );
  return [view, change];
}
