// Light, dark or as the system has it: what was chosen is kept in this browser.

export type ThemeChoice = "system" | "light" | "dark";

const KEY = "heddle.theme";
const dark = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;
const listeners = new Set<() => void>();

export function getThemeChoice(): ThemeChoice {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** What is shown now. */
export function getTheme(): "light" | "dark" {
  const choice = getThemeChoice();
  return choice === "system" ? (dark?.matches ? "dark" : "light") : choice;
}

export function setThemeChoice(choice: ThemeChoice) {
  if (choice === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, choice);
  apply();
}

/** Calls back whenever the shown theme changes; the answer ends it. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Puts the theme on the page, now and whenever the system changes it. */
export function initTheme() {
  apply();
  dark?.addEventListener("change", apply);
}

function apply() {
  document.documentElement.dataset.theme = getTheme();
  for (const listener of listeners) listener();
}
