// How the drawer stands: which tab, how high, open or folded. Kept in the browser, so that it is the same tomorrow.

import { create } from "zustand";

export type DrawerTab = "logs" | "timeline" | "chat" | "problems";

interface DrawerState {
  tab: DrawerTab;
  height: number;
  isOpen: boolean;
  /** The agent whose timeline is shown; `null` for the last that ran. */
  agent: string | null;
  show(tab: DrawerTab): void;
  /** Above zero while somebody is to write a message; the field takes the focus and the request. */
  messageRequested: number;
  requestMessage(): void;
  takeMessageRequest(): void;
  /** Shows the timeline of one agent. */
  showAgent(node: string): void;
  /** Opens a tab, or folds the drawer if that tab is already in sight. */
  toggle(tab: DrawerTab): void;
  setOpen(isOpen: boolean): void;
  setHeight(height: number): void;
}

export const MIN_HEIGHT = 140;
export const HEADER_HEIGHT = 40;
const STORAGE_KEY = "heddle.drawer";
const TABS: readonly string[] = ["logs", "timeline", "chat", "problems"];

interface StoredDrawer {
  tab: DrawerTab;
  height: number;
  isOpen: boolean;
}

/** Reads what was kept, and takes nothing from it that cannot be. */
export function parseDrawerState(text: string | null): StoredDrawer {
  const kept: StoredDrawer = { tab: "logs", height: 280, isOpen: false };
  try {
    const found = JSON.parse(text ?? "{}");
    if (TABS.includes(found.tab)) kept.tab = found.tab;
    if (Number.isFinite(found.height))
      kept.height = Math.max(MIN_HEIGHT, Math.min(2000, found.height));
    if (typeof found.isOpen === "boolean") kept.isOpen = found.isOpen;
  } catch {
    // Whatever stood there was not ours; the defaults do.
  }
  return kept;
}

function persist({ tab, height, isOpen }: StoredDrawer): void {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify({ tab, height, isOpen }));
  } catch {
    // Without storage it lasts as long as the page.
  }
}

function readStored(): string | null {
  try {
    return localStorage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

export const useDrawer = create<DrawerState>()((set, get) => {
  const put = (part: Partial<DrawerState>) => {
    set(part);
    persist(get());
  };
  return {
    ...parseDrawerState(readStored()),
    agent: null,
    messageRequested: 0,
    requestMessage: () =>
      put({ tab: "chat", isOpen: true, messageRequested: get().messageRequested + 1 }),
    takeMessageRequest: () => put({ messageRequested: 0 }),
    show: (tab) => put({ tab, isOpen: true }),
    showAgent: (agent) => put({ agent, tab: "timeline", isOpen: true }),
    toggle: (tab) =>
      put(get().isOpen && get().tab === tab ? { isOpen: false } : { tab, isOpen: true }),
    setOpen: (isOpen) => put({ isOpen }),
    setHeight: (height) => put({ height: Math.max(MIN_HEIGHT, Math.round(height)) }),
  };
});
