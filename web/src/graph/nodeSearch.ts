/** Finding a node to add: what fits where it is to be connected, and how well its words match what was typed. */

import type { Standing, TriggerKind } from "../api/spec";
import { MAIN } from "./edges";
import type { Group, TypeSpec } from "./typeSpec";

/** What the new node will be connected to. `side` is the side of the end that exists. */
export interface WantedPort {
  kind: string;
  side: "input" | "output";
}

/** Whether a node of this type could be connected there. */
export function fitsPort(spec: TypeSpec, wanted: WantedPort | null): boolean {
  if (isNote(spec)) return false;
  if (!wanted) return true;
  const ports = wanted.side === "output" ? spec.inputs : spec.outputs;
  return ports.some((port) => port.kind === wanted.kind);
}

export interface NodeMatch {
  spec: TypeSpec;
  score: number;
}

/** Groups of the list that is shown while nothing is typed, in the order in which a workflow is built. */
export const GROUPS: { id: Group; label: string; text: string }[] = [
  { id: "trigger", label: "Triggers", text: "Start an execution" },
  { id: "ai", label: "AI", text: "Agents, models, memory, knowledge" },
  { id: "tool", label: "Tools", text: "Tools for agents" },
  { id: "flow", label: "Flow", text: "Branch, merge, loop, wait" },
  { id: "data", label: "Data", text: "Transform, filter and combine items" },
  { id: "files", label: "Files", text: "Read, write and convert files" },
  { id: "integration", label: "Services", text: "Other systems" },
];

/** Types that are kept for old workflows are found by name and never offered. */
export function isLegacy(spec: TypeSpec): boolean {
  return spec.standing === "legacy";
}

/** Among types that match alike, the standing of each decides. */
const STANDING_WEIGHT: Record<Standing, number> = {
  recommended: 1.25,
  regular: 1,
  compatible: 0.85,
  legacy: 0.4,
};
/** A node that answers a caller is of use where that caller comes in, and of none elsewhere. */
const ANSWERS_CALLER = 1.2;
const ANSWERS_NOBODY = 0.7;

/** What of the workflow decides which nodes come first. */
export interface SearchContext {
  /** How often each type was added before. */
  uses: ReadonlyMap<string, number>;
  /** What starts the workflow. */
  triggers: ReadonlySet<TriggerKind>;
}

function weightOf(spec: TypeSpec, { uses, triggers }: SearchContext): number {
  const used = 1 + Math.min(uses.get(spec.id) ?? 0, 20) / 50;
  const answered = spec.answers?.length
    ? spec.answers.some((kind) => triggers.has(kind))
      ? ANSWERS_CALLER
      : ANSWERS_NOBODY
    : 1;
  return used * answered * STANDING_WEIGHT[spec.standing ?? "regular"];
}

function isNote(spec: TypeSpec): boolean {
  return spec.id.endsWith(".stickyNote");
}

/** One entry for each type, of its newest version. */
export function newestOfEach(specs: readonly TypeSpec[]): TypeSpec[] {
  const newest = new Map<string, TypeSpec>();
  for (const spec of specs) {
    const other = newest.get(spec.id);
    if (!other || Math.max(...spec.versions) > Math.max(...other.versions))
      newest.set(spec.id, spec);
  }
  return [...newest.values()];
}

/** The types that match a query, best first. */
export function searchNodes(
  specs: readonly TypeSpec[],
  query: string,
  wanted: WantedPort | null,
  context: SearchContext,
): NodeMatch[] {
  const words = query.toLowerCase().trim();
  const found: NodeMatch[] = [];
  for (const spec of specs) {
    if (!fitsPort(spec, wanted)) continue;
    const score = words === "" ? (isLegacy(spec) ? 0 : 1) : matchSpec(spec, words);
    if (score <= 0) continue;
    // Where nothing in particular is wanted, a node that stands by itself comes before one of the same name that serves another.
    const stands =
      wanted || spec.outputs.length === 0 || spec.outputs.some((port) => port.kind === MAIN);
    found.push({ spec, score: score * weightOf(spec, context) * (stands ? 1 : 0.9) });
  }
  return found.sort(
    (one, other) => other.score - one.score || one.spec.name.localeCompare(other.spec.name),
  );
}

function matchSpec(spec: TypeSpec, query: string): number {
  const shortId = spec.id.split(".").pop() ?? spec.id;
  const aliases = Math.max(0, ...(spec.aliases ?? []).map((alias) => scoreText(alias, query)));
  const summary = wordStart(spec.summary.toLowerCase(), query) ? 0.35 : 0;
  return Math.max(
    scoreText(spec.name, query),
    aliases * 0.85,
    scoreText(shortId, query) * 0.7,
    summary,
    eachWord(spec, query),
  );
}

/** A query of several words may have them in any order and place. */
function eachWord(spec: TypeSpec, query: string): number {
  const words = query.split(/\s+/);
  if (words.length < 2) return 0;
  const text = [spec.name, ...(spec.aliases ?? []), spec.summary].join(" ").toLowerCase();
  return words.every((word) => wordStart(text, word)) ? 0.5 : 0;
}

/** How well a text matches: 1 if it is the same, less if it only begins with the query, has it inside, or its letters in order. */
export function scoreText(text: string, query: string): number {
  const lower = text.toLowerCase();
  if (lower === query) return 1;
  if (lower.startsWith(query)) return 0.95 - Math.min(0.1, (lower.length - query.length) / 200);
  if (wordStart(lower, query)) return 0.8;
  if (initials(text).startsWith(query) && query.length > 1) return 0.7;
  if (lower.includes(query)) return 0.6;
  return query.length > 2 ? inOrder(lower, query) : 0;
}

function wordStart(text: string, query: string): boolean {
  for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? "")) return true;
  }
  return false;
}

function initials(text: string): string {
  return text
    .split(/[\s/_-]+|(?<=[a-z])(?=[A-Z])/)
    .map((word) => word[0]?.toLowerCase() ?? "")
    .join("");
}

/** The letters of the query one after the other with few others between; a slip of the fingers is forgiven, a coincidence is not. */
function inOrder(text: string, query: string): number {
  let at = -1;
  let gaps = 0;
  for (const letter of query) {
    const next = text.indexOf(letter, at + 1);
    if (next < 0) return 0;
    if (at >= 0) gaps += next - at - 1;
    at = next;
  }
  return gaps > query.length ? 0 : 0.3 - gaps / (query.length * 10);
}

/** Words for what is looked for, above the list. */
export function wantedLabel(wanted: WantedPort | null, kindWord: (kind: string) => string): string {
  if (!wanted) return "Add node";
  if (wanted.kind === MAIN)
    return wanted.side === "output" ? "What happens next?" : "Where do the items come from?";
  const word = kindWord(wanted.kind).toLowerCase();
  return wanted.side === "input" ? `Add: ${word}` : `What uses this ${word}?`;
}
