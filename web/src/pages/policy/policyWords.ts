// Entries of a policy and verdicts of a dry run in words. Pure.

import type { PolicyChange, PolicyDryRun, PolicyVerdict } from "../../api/generated";
import type { Tone } from "../../ui";
import { type ArgumentTest, type CallFilter, type PolicyEntry, splitNames } from "./policyEntry";

export const ACTION_WORDS: Record<string, { label: string; hint: string; tone: Tone }> = {
  deny: { label: "Deny", hint: "The call is not made; the model is told why", tone: "bad" },
  approve: { label: "Ask", hint: "A person approves the exact call first", tone: "wait" },
  allow: { label: "Allow", hint: "Where the default is to deny", tone: "good" },
  "allow-anywhere": {
    label: "Allow anywhere",
    hint: "Also to any destination after untrusted content",
    tone: "accent",
  },
};

export const EFFECT_WORDS: Record<string, string> = {
  read: "reads",
  write: "writes",
  send: "sends data out",
  spend: "spends money",
};

export const SCOPE_WORDS: Record<string, string> = {
  instance: "for the whole instance",
  workflow: "per workflow",
  agent: "per agent",
  session: "per conversation",
  tool: "per tool",
  server: "per MCP server",
};

export const TEST_WORDS: Record<ArgumentTest["test"], string> = {
  above: "is above",
  below: "is below",
  one_of: "is one of",
  none_of: "is none of",
};

/** A piece of a sentence: words, or a name that stands out. */
export type Piece = string | { name: string };

/** A part of a condition. One that is aside does not need an “if” before it. */
export interface Phrase {
  pieces: Piece[];
  isAside: boolean;
}

/** What must be true of a call, all of it. Nothing for every call. */
export function filterPhrases(
  filter: CallFilter,
  workflowName: (id: string) => string = (id) => id,
): Phrase[] {
  const phrase = (...pieces: Piece[]): Phrase => ({ pieces, isAside: false });
  const named = (words: string, names: string[]): Phrase[] =>
    names.length > 0 ? [phrase(`${words} `, ...orNames(names))] : [];
  const aside = (value: boolean | undefined, yes: string, no: string): Phrase[] =>
    value === undefined ? [] : [{ pieces: [value ? yes : no], isAside: true }];
  return [
    ...named("the tool is", filter.tools),
    ...named("its node type is", filter.node_types),
    ...named("its MCP server is", filter.servers),
    ...named("the workflow is", filter.workflows.map(workflowName)),
    ...named("the agent is", filter.agents),
    ...(filter.effects.length > 0
      ? [phrase(`it ${or(filter.effects.map((name) => EFFECT_WORDS[name] ?? name))}`)]
      : []),
    ...filter.arguments.map(({ path, test, value }) =>
      phrase("argument ", { name: path }, ` ${TEST_WORDS[test]} `, ...orNames(splitNames(value))),
    ),
    ...aside(filter.untrusted, "after untrusted content", "before any untrusted content"),
    ...aside(filter.private, "with access to private data", "without access to private data"),
  ];
}

function orNames(names: readonly string[]): Piece[] {
  return names.flatMap((name, at): Piece[] => {
    if (at === 0) return [{ name }];
    return [at === names.length - 1 ? " or " : ", ", { name }];
  });
}

/** When an entry counts, as one sentence. */
export function conditionSentence(
  entry: PolicyEntry,
  workflowName?: (id: string) => string,
): Piece[] {
  const phrases = filterPhrases(entry, workflowName);
  const isLimit = entry.kind === "limit";
  if (phrases.length === 0)
    return [isLimit ? `${limitWords(entry)}, for every call` : "Every call"];
  const said = phrases.flatMap(({ pieces, isAside }, at): Piece[] => {
    if (at === 0) return [isAside ? "" : "if ", ...pieces];
    return [isAside ? ", " : " and ", ...pieces];
  });
  const sentence: Piece[] = isLimit ? [`${limitWords(entry)}, `, ...said] : said;
  const start = sentence.findIndex((piece) => piece !== "");
  return sentence.map((piece, at) =>
    at === start && typeof piece === "string" ? capitalize(piece) : piece,
  );
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** `a, b or c`. */
export function or(words: readonly string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** The length of a window: `1 h`, `90 s`. */
export function windowWords(seconds: number): string {
  for (const [unit, size] of [
    ["days", 86_400],
    ["h", 3600],
    ["min", 60],
  ] as const) {
    if (seconds >= size && seconds % size === 0) {
      const n = seconds / size;
      return unit === "days" && n === 1 ? "1 day" : `${n} ${unit}`;
    }
  }
  return `${seconds} s`;
}

/** What a limit allows: `3 calls per conversation in 1 h`. */
export function limitWords({ calls = 0, seconds = 0, per }: PolicyEntry): string {
  const many = calls === 1 ? "1 call" : `${calls.toLocaleString("en")} calls`;
  return `${many} ${SCOPE_WORDS[per] ?? per} in ${windowWords(seconds)}`;
}

export function verdictWords(verdict: PolicyVerdict): { label: string; tone: Tone } {
  const { label, tone } = ACTION_WORDS[verdict.action] ?? {
    label: verdict.action,
    tone: "neutral",
  };
  return { label, tone };
}

const STRICTNESS: Record<PolicyVerdict["action"], number> = { allow: 0, approve: 1, deny: 2 };

/** Calls that become stricter come first, the newly denied before all; then those that become laxer, then other rules only. */
export function orderChanges(changes: readonly PolicyChange[]): PolicyChange[] {
  const rank = ({ now, then }: PolicyChange) => {
    const [before, after] = [STRICTNESS[now.action], STRICTNESS[then.action]];
    if (after > before) return 2 - after;
    return after < before ? 2 : 3;
  };
  return [...changes].sort((one, other) => rank(one) - rank(other));
}

/** Changes of the same kind about the same tool of the same agent, as one row that counts them. */
export interface ChangeGroup {
  change: PolicyChange;
  /** The executions of these calls, newest first, each once. */
  executions: string[];
  calls: number;
}

export function groupChanges(changes: readonly PolicyChange[]): ChangeGroup[] {
  const groups = new Map<string, ChangeGroup>();
  for (const change of orderChanges(changes)) {
    const { workflowId, agent, tool, effect, now, then } = change;
    const key = JSON.stringify([workflowId, agent, tool, effect, now, then]);
    const group = groups.get(key) ?? { change, executions: [], calls: 0 };
    group.calls += 1;
    if (!group.executions.includes(change.executionId)) group.executions.push(change.executionId);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** How many of the changed calls become stricter, and how many laxer. */
export function changeCounts({ changed }: PolicyDryRun): { stricter: number; laxer: number } {
  const difference = ({ now, then }: PolicyChange) =>
    STRICTNESS[then.action] - STRICTNESS[now.action];
  return {
    stricter: changed.filter((change) => difference(change) > 0).length,
    laxer: changed.filter((change) => difference(change) < 0).length,
  };
}
