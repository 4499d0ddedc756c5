// Light, dark or as the system has it: what was chosen is kept in this browser.

export type Choice = "system" | "light" | "dark";

const KEY = "heddle.theme";
const dark = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;
const listeners = new Set<() => void>();

export function chosenTheme(): Choice {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** What is shown now. */
export function shownTheme(): "light" | "dark" {
  const choice = chosenTheme();
  return choice === "system" ? (dark?.matches ? "dark" : "light") : choice;
}

export function chooseTheme(choice: Choice) {
  if (choice === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, choice);
  apply();
}

/** Calls back whenever the shown theme changes; the answer ends it. */
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Puts the theme on the page, now and whenever the system changes it. */
export function startTheme() {
  apply();
  dark?.addEventListener("change", apply);
}

function apply() {
  document.documentElement.dataset.theme = shownTheme();
  for (const listener of listeners) listener();
}
