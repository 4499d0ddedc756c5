/** How what is typed finds an action: letters in order, whole words and their beginnings first. */
import type { Action } from "./actionRegistry";

export interface ActionMatch {
  action: Action;
  score: number;
}

/** The actions that fit, best first; with nothing typed, all of them as they are. */
export function searchActions(actions: readonly Action[], typed: string, most = 50): Action[] {
  const text = typed.trim().toLowerCase();
  if (text === "") return actions.slice(0, most);
  const hits: ActionMatch[] = [];
  for (const action of actions) {
    const score = Math.max(
      scoreAction(action.label.toLowerCase(), text),
      0.7 * scoreAction(`${action.group} ${action.keywords ?? ""}`.toLowerCase(), text),
    );
    if (score > 0) hits.push({ action, score });
  }
  return hits
    .sort(
      (one, other) =>
        other.score - one.score || one.action.label.length - other.action.label.length,
    )
    .slice(0, most)
    .map((hit) => hit.action);
}

/** From 0, does not fit, to 100, is the same. */
export function scoreAction(name: string, text: string): number {
  if (name === text) return 100;
  if (name.startsWith(text)) return 90;
  const words = text.split(/\s+/);
  const begins = (word: string) => name.startsWith(word) || name.includes(` ${word}`);
  if (words.every(begins)) return 80;
  if (name.includes(text)) return 60;
  if (words.every((word) => name.includes(word))) return 50;
  return initials(name).startsWith(text.replace(/\s+/g, ""))
    ? 45
    : inOrder(name, text.replace(/\s+/g, ""));
}

function initials(name: string): string {
  return name
    .split(/[\s\-_/]+/)
    .map((word) => word.charAt(0))
    .join("");
}

/** All letters, one after the other; the closer together, the better. The best place to begin counts. */
function inOrder(name: string, letters: string): number {
  let best = 0;
  for (
    let start = name.indexOf(letters.charAt(0));
    start >= 0;
    start = name.indexOf(letters.charAt(0), start + 1)
  ) {
    best = Math.max(best, inOrderFrom(name, letters, start));
  }
  return best;
}

function inOrderFrom(name: string, letters: string, start: number): number {
  let at = start;
  let gaps = 0;
  for (const letter of letters.slice(1)) {
    const next = name.indexOf(letter, at + 1);
    if (next < 0) return 0;
    gaps += next - at - 1;
    at = next;
  }
  // Letters that are scattered over the whole name are chance.
  return gaps > letters.length * 2 ? 0 : Math.max(1, 30 - gaps);
}
