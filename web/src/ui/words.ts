/** Which words float just now, and when they come and go: after a moment, or at once while one goes from one thing to the next. */
import type { ReactNode } from "react";
import type { Side } from "./beside";

export interface Words {
  /** What they are about. */
  on: HTMLElement;
  text: ReactNode;
  shortcut: string | undefined;
  side: Side;
}

/** One has to rest on a thing for this long. */
const DELAY_MS = 400;
/** After the last words are gone for this long, the next ones wait again. */
const AGAIN_MS = 200;
/** Words stay for this long after their thing was left, so that one can get to them. */
const LINGER_MS = 100;

let shown: Words | null = null;
let hiddenAt = Number.NEGATIVE_INFINITY;
let coming: ReturnType<typeof setTimeout> | undefined;
let going: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

export function wordsNow(): Words | null {
  return shown;
}

/** Calls back whenever other words are shown, or none; the answer ends it. */
export function onWords(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function showWords(words: Words) {
  keepWords();
  clearTimeout(coming);
  set(words);
}

export function showWordsSoon(words: Words) {
  clearTimeout(coming);
  if (shown?.on === words.on) keepWords();
  else if (shown || performance.now() - hiddenAt < AGAIN_MS) showWords(words);
  else coming = setTimeout(() => showWords(words), DELAY_MS);
}

export function hideWords() {
  clearTimeout(coming);
  clearTimeout(going);
  if (shown) hiddenAt = performance.now();
  set(null);
}

export function hideWordsSoon() {
  clearTimeout(coming);
  clearTimeout(going);
  going = setTimeout(hideWords, LINGER_MS);
}

/** They are being pointed at themselves. */
export function keepWords() {
  clearTimeout(going);
}

function set(words: Words | null) {
  if (shown === words) return;
  shown = words;
  for (const listener of listeners) listener();
}
