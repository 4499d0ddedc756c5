// Where an answer comes from: the tool results and documents an agent had before it answered, and which of them its words repeat.

import type { AgentReport } from "./agentReport";

export interface AnswerSource {
  id: string;
  kind: "tool" | "document" | "memory";
  label: string;
  /** Where it can be looked at: which call of the iteration at which place. */
  iteration?: number;
  /** How that iteration is called. */
  number?: number;
  call?: number;
  /** Words or figures of it stand in the answer. This is found by comparing texts, not told by the model. */
  isRepeated: boolean;
}

export function findSources(report: AgentReport): AnswerSource[] {
  const answer = toPlainText(report.output);
  const sources: AnswerSource[] = [];
  for (const iteration of report.iterations) {
    for (const [call, tool] of iteration.toolCalls.entries()) {
      if (tool.isError || tool.result === undefined) continue;
      const place = { iteration: iteration.at, number: iteration.index, call };
      const documents = documentsIn(tool.result);
      for (const [at, document] of documents.entries()) {
        const id = `document-${iteration.at}-${call}-${at}`;
        sources.push({
          id,
          kind: "document",
          label: document.label,
          ...place,
          isRepeated: isRepeatedIn(answer, document.text),
        });
      }
      if (documents.length > 0) continue;
      const id = `tool-${iteration.at}-${call}`;
      sources.push({
        id,
        kind: "tool",
        label: tool.name,
        ...place,
        isRepeated: isRepeatedIn(answer, toPlainText(tool.result)),
      });
    }
  }
  const hasRead = report.memory.some((use) => /load|read|recall|search/i.test(use.op));
  if (hasRead)
    sources.push({
      id: "memory",
      kind: "memory",
      label: "Conversation history",
      isRepeated: false,
    });
  return sources;
}

interface FoundDocument {
  label: string;
  text: string;
}

/** Documents in a tool's result: what stores and knowledge bases give back has text and says where it is from. */
function documentsIn(result: unknown): FoundDocument[] {
  const value = typeof result === "string" ? parseJson(result) : result;
  const list = Array.isArray(value)
    ? value
    : isFields(value) && Array.isArray(value.documents)
      ? value.documents
      : [];
  return list.flatMap((entry: unknown): FoundDocument[] => {
    const inner = isFields(entry) && isFields(entry.document) ? entry.document : entry;
    if (!isFields(inner))
      return typeof inner === "string" && isFields(parseJson(inner))
        ? documentsIn([parseJson(inner)])
        : [];
    const text = inner.pageContent ?? inner.text ?? inner.content;
    if (typeof text !== "string" || !isFields(inner.metadata)) return [];
    const { source, fileName, title, name, page } = inner.metadata as Record<string, unknown>;
    const label = [title, fileName, name, source].find(
      (part) => typeof part === "string" && part !== "",
    );
    const words = typeof label === "string" ? label : `${text.slice(0, 40).trim()}…`;
    return [{ label: typeof page === "number" ? `${words}, page ${page}` : words, text }];
  });
}

/** Whether an answer repeats a text: a figure of at least two digits, or four words in a row. */
export function isRepeatedIn(answer: string, source: string): boolean {
  if (answer === "" || source === "") return false;
  const figures = new Set(answer.match(/\d[\d.,]*\d/g) ?? []);
  if ((source.match(/\d[\d.,]*\d/g) ?? []).some((figure) => figures.has(figure))) return true;
  const said = splitWords(answer);
  const known = splitWords(source);
  if (known.length < 4)
    return (
      known.length > 0 &&
      known.join(" ").length > 3 &&
      ` ${said.join(" ")} `.includes(` ${known.join(" ")} `)
    );
  const runs = new Set<string>();
  for (let at = 0; at + 4 <= known.length && at < 5000; at++)
    runs.add(known.slice(at, at + 4).join(" "));
  return said.some((_, at) => runs.has(said.slice(at, at + 4).join(" ")));
}

function splitWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function toPlainText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

function parseJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
