/** Which words float just now, and when they come and go: after a moment, or at once while one goes from one thing to the next. */
import type { ReactNode } from "react";
import type { Side } from "./placement";

export interface TooltipState {
  /** What they are about. */
  on: HTMLElement;
  text: ReactNode;
  shortcut: string | undefined;
  side: Side;
}

/** One has to rest on a thing for this long. */
const DELAY_MS = 400;
/** After the last words are gone for this long, the next ones wait again. */
const REOPEN_MS = 200;
/** Words stay for this long after their thing was left, so that one can get to them. */
const LINGER_MS = 100;

let shown: TooltipState | null = null;
let hiddenAt = Number.NEGATIVE_INFINITY;
let showTimer: ReturnType<typeof setTimeout> | undefined;
let hideTimer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

export function getTooltip(): TooltipState | null {
  return shown;
}

/** Calls back whenever other words are shown, or none; the answer ends it. */
export function onTooltipChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function showTooltip(words: TooltipState) {
  keepTooltip();
  clearTimeout(showTimer);
  set(words);
}

export function showTooltipSoon(words: TooltipState) {
  clearTimeout(showTimer);
  if (shown?.on === words.on) keepTooltip();
  else if (shown || performance.now() - hiddenAt < REOPEN_MS) showTooltip(words);
  else showTimer = setTimeout(() => showTooltip(words), DELAY_MS);
}

export function hideTooltip() {
  clearTimeout(showTimer);
  clearTimeout(hideTimer);
  if (shown) hiddenAt = performance.now();
  set(null);
}

export function hideTooltipSoon() {
  clearTimeout(showTimer);
  clearTimeout(hideTimer);
  hideTimer = setTimeout(hideTooltip, LINGER_MS);
}

/** They are being pointed at themselves. */
export function keepTooltip() {
  clearTimeout(hideTimer);
}

function set(words: TooltipState | null) {
  if (shown === words) return;
  shown = words;
  for (const listener of listeners) listener();
}
