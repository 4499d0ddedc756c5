// What the server finds wrong with the document, asked for a moment after the last change.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../api/client";
import type { Problem } from "../api/types";
import type { WorkflowDocument } from "../api/workflowDocument";
import { useEditor } from "../store/editorStore";

export interface CheckResponse {
  problems: Problem[];
  nodes: {
    name: string;
    type: string;
    typeVersion: number;
    support: "full" | "differs" | "unknown" | "version";
    notes: string[];
  }[];
}

const DEBOUNCE_MS = 600;
const NO_PROBLEMS: readonly Problem[] = [];
const SEVERITY_ORDER = { error: 0, warning: 1, info: 2 };

export function useProblems(): {
  problems: readonly Problem[];
  isChecking: boolean;
  error: unknown;
  again: () => void;
} {
  const document = useEditor((state) => state.workflow);
  const settled = useDebouncedDocument(document);
  const { nodes, connections, settings, pinData } = settled;
  const query = useQuery({
    queryKey: ["workflow-check", nodes, connections, settings, pinData],
    queryFn: ({ signal }) =>
      api.post<CheckResponse>(
        "/workflows/check",
        { nodes, connections, settings: settings ?? {}, pinData: withoutItems(pinData) },
        signal,
      ),
    // The parts of a document are compared by what they are, not by all they hold: a document may be a megabyte.
    queryKeyHashFn: () =>
      `workflow-check ${[nodes, connections, settings, pinData].map(objectKey).join(" ")}`,
    enabled: nodes.length > 0,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  const problems = nodes.length > 0 ? (query.data?.problems ?? NO_PROBLEMS) : NO_PROBLEMS;
  return {
    problems: bySeverity(problems),
    isChecking: query.isFetching,
    error: query.error,
    again: () => void query.refetch(),
  };
}

/** Which nodes have pinned data is all that the check needs to know of it. */
function withoutItems(pinData: WorkflowDocument["pinData"]): Record<string, []> {
  return Object.fromEntries(Object.keys(pinData ?? {}).map((name) => [name, []]));
}

const sorted = new WeakMap<readonly Problem[], readonly Problem[]>();

/** The worst first, and the same list for the same answer. */
function bySeverity(problems: readonly Problem[]): readonly Problem[] {
  let found = sorted.get(problems);
  if (!found) {
    found = [...problems].sort(
      (a, b) => (SEVERITY_ORDER[a.severity] ?? 3) - (SEVERITY_ORDER[b.severity] ?? 3),
    );
    sorted.set(problems, found);
  }
  return found;
}

/** The document once nothing has changed in it for a moment. */
function useDebouncedDocument(document: WorkflowDocument): WorkflowDocument {
  const [settled, setSettled] = useState(document);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(document), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [document]);
  return settled;
}

const keys = new WeakMap<object, number>();
let lastKey = 0;

/** A number for an object that stays the same as long as the object does. */
function objectKey(value: object | null | undefined): number {
  if (!value) return 0;
  const known = keys.get(value);
  if (known !== undefined) return known;
  keys.set(value, ++lastKey);
  return lastKey;
}
