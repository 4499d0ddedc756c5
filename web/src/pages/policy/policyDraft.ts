// The policy as somebody is changing it. It outlives the page, so that an execution can be looked at in between.

import { create } from "zustand";
import type { Policy } from "../../api/generated";
import { onSignOut } from "../../api/session";
import { mergeStops } from "./policyEdits";

/** What a change began with. */
type Base = Pick<Policy, "version" | "text">;

interface DraftState {
  /** What is written so far; nothing while it is as it is in force. */
  draft: string | null;
  base: Base | null;
  write: (draft: string, base: Base) => void;
  discard: () => void;
  /** Takes over what was stopped or let go meanwhile: that is no reason to look at a change again. */
  follow: (policy: Base) => void;
}

export const usePolicyDraft = create<DraftState>((set, get) => ({
  draft: null,
  base: null,
  write: (draft, base) => set({ draft, base: get().draft === null ? base : get().base }),
  discard: () => set({ draft: null, base: null }),
  follow: ({ version, text }) => {
    const { draft, base } = get();
    if (draft === null || base === null || base.version === version) return;
    const merged = mergeStops(base.text, text, draft);
    if (merged !== null) set({ draft: merged, base: { version, text } });
  },
}));

onSignOut({ afterSignOut: () => usePolicyDraft.getState().discard() });
