/** The view of the list, kept in the address: going back brings it back. */
import { useCallback, useMemo } from "react";
import { useSearchParams } from "wouter";
import {
  parseListView,
  serializeListView,
  type WorkflowListView,
} from "../../workflows/workflowRows";

export function useListView(): [WorkflowListView, (change: Partial<WorkflowListView>) => void] {
  const [query, setQuery] = useSearchParams();
  const view = useMemo(() => parseListView(query), [query]);
  const change = useCallback(
    (next: Partial<WorkflowListView>) => {
      // Typing replaces the entry of the history, everything else adds one.
      const replace = Object.keys(next).every((key) => key === "text");
      setQuery((before) => serializeListView({ ...parseListView(before), ...next }), { replace });
    },
    [setQuery],
  );
  return [view, change];
}
