/** Whoever adds an entry to a list wants to fill it in: the first control of the new entry takes the focus. */

import { type RefObject, useEffect, useRef } from "react";

const CONTROL =
  "input, textarea, [contenteditable=true], button[role=combobox], button[role=switch]";

interface NewEntryFocus {
  /** Goes on the element around the entries, each of which carries its name as `data-entry`. */
  list: RefObject<HTMLDivElement | null>;
  /** Called with the change that adds the entry of this name. */
  focusWhenAdded: (entry: string) => void;
  /** Called instead where a menu adds the entry: a menu gives the focus away only when it has closed, which is when to call `focusNow`. */
  focusWhenMenuCloses: (entry: string) => void;
  /** Puts the focus into the entry that is expected; `true` if there was one. */
  focusNow: () => boolean;
}

export function useFocusNewEntry(): NewEntryFocus {
  const list = useRef<HTMLDivElement>(null);
  const expected = useRef<{ entry: string; byMenu: boolean } | null>(null);
  const land = () => {
    const wanted = expected.current?.entry;
    expected.current = null;
    const frame = list.current;
    if (wanted === undefined || !frame) return false;
    const entries = [...frame.querySelectorAll<HTMLElement>("[data-entry]")];
    const entry = entries.find((one) => one.dataset.entry === wanted && isOutermost(one, frame));
    const control = entry?.querySelector<HTMLElement>(CONTROL);
    control?.focus();
    return control != null;
  };
  useEffect(() => {
    if (expected.current && !expected.current.byMenu) land();
  });
  return {
    list,
    focusWhenAdded: (entry) => {
      expected.current = { entry, byMenu: false };
    },
    focusWhenMenuCloses: (entry) => {
      expected.current = { entry, byMenu: true };
    },
    focusNow: land,
  };
}

/** Entries may hold lists of their own, whose entries may have the same names. */
function isOutermost(entry: HTMLElement, list: HTMLElement): boolean {
  const around = entry.parentElement?.closest("[data-entry]");
  return !around || !list.contains(around);
}
