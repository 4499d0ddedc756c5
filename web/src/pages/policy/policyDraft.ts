// The policy as somebody is changing it. It outlives the page, so that an execution can be looked at in between.

import { create } from "zustand";
import { onSignOut } from "../../api/session";

interface DraftState {
  /** What is written so far; nothing while it is as it is in force. */
  draft: string | null;
  /** The version that the change began with. */
  base: number;
  write: (draft: string, base: number) => void;
  discard: () => void;
}

export const usePolicyDraft = create<DraftState>((set, get) => ({
  draft: null,
  base: 0,
  write: (draft, base) => set({ draft, base: get().draft === null ? base : get().base }),
  discard: () => set({ draft: null }),
}));

onSignOut({ afterSignOut: () => usePolicyDraft.getState().discard() });
