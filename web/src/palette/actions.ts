/**
 * What the command palette offers: a registry into which pages put what can be done on them.
 *
 * A page registers while it is shown and takes back when it goes; actions that are always there belong to the palette itself.
 */
import type { LucideIcon } from "lucide-react";
import { useEffect, useSyncExternalStore } from "react";

export interface Action {
  /** The same id again replaces the action. */
  id: string;
  label: string;
  /** The heading it stands under. */
  group: string;
  icon?: LucideIcon;
  /** Keys that do the same, as [`Kbd`] writes them. */
  shortcut?: string;
  /** Other words it is found by. */
  words?: string;
  run: () => void;
}

let registered: readonly Action[] = [];
const listeners = new Set<() => void>();

/** Offers actions until the answer is called. */
export function offer(actions: readonly Action[]): () => void {
  const ids = new Set(actions.map((action) => action.id));
  change([...registered.filter((action) => !ids.has(action.id)), ...actions]);
  return () => change(registered.filter((action) => !actions.includes(action)));
}

/** What pages offer right now. */
export function offered(): readonly Action[] {
  return registered;
}

/** Offers actions while a component is shown. They must be kept with `useMemo`: a new list is offered anew. */
export function useActions(actions: readonly Action[]) {
  useEffect(() => {
    const withdraw = offer(actions);
    return () => withdraw();
  }, [actions]);
}

export function useOffered(): readonly Action[] {
  return useSyncExternalStore(listen, offered);
}

function change(next: readonly Action[]) {
  registered = next;
  for (const listener of listeners) listener();
}

function listen(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
