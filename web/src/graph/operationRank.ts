/** Which operations of an API most likely do what a node did. */
import type { WorkflowNode } from "../api/workflowDocument";

/** An operation as lists show it. */
export interface ListedOperation {
  id: string;
  method: string;
  path: string;
  summary: string;
  tags: readonly string[];
  deprecated: boolean;
}

/** Guesses are few, or they are none. */
const MAX_GUESSES = 5;
/** What one word is worth, by where it is found. */
const IN_ID = 4;
const IN_PATH = 3;
const IN_TAGS = 2;
const IN_SUMMARY = 1.5;
/** The words of a node by what says them: its operation most, its name least. */
const OPERATION_WEIGHT = 2;
const RESOURCE_WEIGHT = 1.5;
const NAME_WEIGHT = 0.75;
/** A verb of the node that the method, or the id, says as well. */
const METHOD_SCORE = 5;
const VERB_IN_ID = 2;
/** One thing or all of them, as the path says. */
const NUMBER_SCORE = 2;
const DEPRECATED = 0.6;
/** A guess has at least this share of the best one's score, and more than one word in common. */
const WORTH_SHOWING = 0.5;
const LEAST_SCORE = 4;

/** The methods by what nodes call such operations. */
const METHOD_WORDS: Readonly<Record<string, readonly string[]>> = {
  GET: ["get", "list", "search", "find", "read", "fetch", "lookup", "query", "download"],
  POST: ["create", "add", "append", "insert", "post", "send", "upload", "new", "make"],
  PUT: ["update", "replace", "set", "upsert", "put"],
  PATCH: ["update", "edit", "change", "patch", "modify", "rename"],
  DELETE: ["delete", "remove", "clear", "archive"],
};
const VERBS: ReadonlySet<string> = new Set(Object.values(METHOD_WORDS).flat());
const MANY_WORDS = ["all", "many", "list", "search"];
/** Words that stand in many names and tell nothing. */
const EMPTY_WORDS = new Set(["the", "a", "an", "of", "to", "in", "by", "for", "and", "my"]);

/** The operations that fit a node best, the best first; none if nothing speaks for one. */
export function guessOperations<T extends ListedOperation>(
  node: WorkflowNode,
  operations: readonly T[],
): T[] {
  const wanted = wordsOfNode(node);
  const scored = operations
    .map((operation) => ({ operation, score: score(operation, wanted) }))
    .filter(({ score }) => score >= LEAST_SCORE)
    .sort((one, other) => other.score - one.score);
  const best = scored[0]?.score ?? 0;
  return scored
    .filter(({ score }) => score >= best * WORTH_SHOWING)
    .slice(0, MAX_GUESSES)
    .map(({ operation }) => operation);
}

/** Those with all words in their id, path, tags or summary. */
export function filterOperations<T extends ListedOperation>(
  operations: readonly T[],
  query: string,
): readonly T[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return operations;
  return operations.filter(({ id, method, path, summary, tags }) => {
    const text = [id, method, path, summary, ...tags].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function wordsOfNode(node: WorkflowNode): Map<string, number> {
  const words = new Map<string, number>();
  const add = (text: unknown, weight: number) => {
    if (typeof text !== "string" || text.startsWith("=")) return;
    for (const word of splitWords(text)) words.set(word, Math.max(words.get(word) ?? 0, weight));
  };
  add(node.parameters.operation, OPERATION_WEIGHT);
  add(node.parameters.resource, RESOURCE_WEIGHT);
  add((node.type.split(".").pop() ?? "").replace(/(Tool|Trigger)$/, ""), NAME_WEIGHT);
  add(node.name, NAME_WEIGHT);
  add(node.notes, NAME_WEIGHT / 2);
  return words;
}

function score(operation: ListedOperation, wanted: ReadonlyMap<string, number>): number {
  const { id, method, path, summary, tags, deprecated } = operation;
  const idWords = new Set(splitWords(id));
  const places: [Set<string>, number][] = [
    [idWords, IN_ID],
    [new Set(splitWords(path)), IN_PATH],
    [new Set(splitWords(tags.join(" "))), IN_TAGS],
    [new Set(splitWords(summary)), IN_SUMMARY],
  ];
  let things = 0;
  let verbs = 0;
  for (const [word, weight] of wanted) {
    if (!VERBS.has(word)) {
      const found = places.find(([words]) => words.has(word));
      things += (found?.[1] ?? 0) * weight;
    } else if (weight === OPERATION_WEIGHT) {
      if (METHOD_WORDS[method]?.includes(word)) verbs = METHOD_SCORE;
      if (idWords.has(word)) verbs += VERB_IN_ID;
    }
  }
  // What is done says nothing without what it is done to: most APIs have many of each.
  if (things === 0) return 0;
  const isMany = MANY_WORDS.some((word) => wanted.has(word));
  const fitsNumber = method === "GET" && verbs > 0 && isMany !== path.endsWith("}");
  return (things + verbs + (fitsNumber ? NUMBER_SCORE : 0)) * (deprecated ? DEPRECATED : 1);
}

/** `["list", "pet", "by", "id"]` of `listPets_byId`: small letters, without the plural. */
function splitWords(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => (word.length > 3 && !word.endsWith("ss") ? word.replace(/s$/, "") : word))
    .filter((word) => word.length > 1 && !EMPTY_WORDS.has(word));
}
