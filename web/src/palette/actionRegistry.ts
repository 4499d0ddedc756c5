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
  keywords?: string;
  run: () => void;
}

let registered: readonly Action[] = [];
const listeners = new Set<() => void>();

/** Offers actions until the answer is called. */
export function registerActions(actions: readonly Action[]): () => void {
  const ids = new Set(actions.map((action) => action.id));
  setRegistered([...registered.filter((action) => !ids.has(action.id)), ...actions]);
  return () => setRegistered(registered.filter((action) => !actions.includes(action)));
}

/** What pages offer right now. */
export function getRegisteredActions(): readonly Action[] {
  return registered;
}

/** Offers actions while a component is shown. They must be kept with `useMemo`: a new list is offered anew. */
export function useRegisterActions(actions: readonly Action[]) {
  useEffect(() => {
    const withdraw = registerActions(actions);
    return () => withdraw();
  }, [actions]);
}

export function useRegisteredActions(): readonly Action[] {
  return useSyncExternalStore(subscribe, getRegisteredActions);
}

function setRegistered(next: readonly Action[]) {
  registered = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
