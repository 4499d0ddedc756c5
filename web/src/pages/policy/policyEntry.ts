// What an entry of a policy can say, as a form has it, and why one cannot be written. Pure.

export type EntryKind = "stop" | "effect" | "rule" | "limit";
export const ACTIONS = ["deny", "approve", "allow", "allow-anywhere"] as const;
export type RuleAction = (typeof ACTIONS)[number];
export const EFFECTS = ["read", "write", "send", "spend"] as const;
export const SCOPES = ["instance", "workflow", "agent", "session", "tool", "server"] as const;
export const TESTS = ["above", "below", "one_of", "none_of"] as const;

export interface ArgumentTest {
  path: string;
  test: (typeof TESTS)[number];
  /** A number, or names separated by commas. */
  value: string;
}

/** Which calls an entry is about: all that match everything that is given. */
export interface CallFilter {
  tools: string[];
  node_types: string[];
  servers: string[];
  workflows: string[];
  agents: string[];
  effects: string[];
  untrusted?: boolean;
  private?: boolean;
  arguments: ArgumentTest[];
}

export interface PolicyEntry extends CallFilter {
  kind: EntryKind;
  /** Empty where it is called by its place. */
  name: string;
  /** Of a rule. */
  action: string;
  /** Of a rule or a stop: what the model is told. */
  reason: string;
  /** Of an effect. */
  effect: string;
  /** Of a limit. */
  per: string;
  calls?: number;
  seconds?: number;
}

export function newEntry(kind: EntryKind): PolicyEntry {
  return {
    kind,
    name: "",
    tools: [],
    node_types: [],
    servers: [],
    workflows: [],
    agents: [],
    effects: [],
    arguments: [],
    action: kind === "rule" ? "approve" : "",
    reason: "",
    effect: kind === "effect" ? "write" : "",
    per: kind === "limit" ? "session" : "",
    ...(kind === "limit" && { calls: 10, seconds: 3600 }),
  };
}

export function isNumeric(test: ArgumentTest["test"]): boolean {
  return test === "above" || test === "below";
}

/** Names in a field, separated by commas. */
export function splitNames(text: string): string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}

const MAX_WINDOW_SECONDS = 31 * 86_400;
export const isCount = (n: number | undefined) => n !== undefined && Number.isInteger(n) && n >= 0;
export const isWindow = (n: number | undefined) =>
  n !== undefined && n >= 1 && n <= MAX_WINDOW_SECONDS;

/** Why an entry cannot be written; the server says the rest. */
export function entryProblems(entry: PolicyEntry): string[] {
  return [
    ...(entry.kind === "limit" && !isCount(entry.calls) ? ["calls"] : []),
    ...(entry.kind === "limit" && !isWindow(entry.seconds) ? ["seconds"] : []),
    ...entry.arguments.flatMap(testProblems),
  ];
}

/** Which fields of a test lack something. */
export function testProblems({ path, test, value }: ArgumentTest): ("path" | "value")[] {
  const isGiven = isNumeric(test)
    ? value.trim() !== "" && Number.isFinite(Number(value))
    : splitNames(value).length > 0;
  return [
    ...(path.trim() === "" ? (["path"] as const) : []),
    ...(isGiven ? [] : (["value"] as const)),
  ];
}
