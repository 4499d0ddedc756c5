// What an agent says while it runs: pieces of its words and the tools between them, gathered in the order they came.

import { type ApprovalRequest, fromEvent } from "./approval";

/** A piece of an answer as the server streams it. */
export interface AnswerChunk {
  type:
    | "begin"
    | "item"
    | "end"
    | "error"
    | "tool-start"
    | "tool-end"
    | "approval"
    | "usage"
    | "done"
    | string;
  content?: unknown;
  metadata?: {
    nodeId?: string;
    nodeName?: string;
    itemIndex?: number;
    runIndex?: number;
    timestamp?: number;
  };
}

export interface ToolPart {
  kind: "tool";
  id: string;
  name: string;
  arguments?: unknown;
  result?: unknown;
  isError: boolean;
  durationMs: number | null;
  isRunning: boolean;
  /** What was asked before it could begin. */
  asked?: ApprovalRequest;
}

export type AnswerPart = { kind: "text"; text: string } | ToolPart;

export interface Answer {
  parts: readonly AnswerPart[];
  isOver: boolean;
  isFailed: boolean;
  inputTokens: number;
  outputTokens: number;
  dollars: number | null;
  finishReason?: string;
  iterations?: number;
}

const EMPTY_ANSWER: Answer = {
  parts: [],
  isOver: false,
  isFailed: false,
  inputTokens: 0,
  outputTokens: 0,
  dollars: null,
};

/** The answer with one piece more. */
export function addChunk(
  answer: Answer = EMPTY_ANSWER,
  { type, content, metadata }: AnswerChunk,
): Answer {
  const fields =
    typeof content === "object" && content !== null ? (content as Record<string, unknown>) : {};
  switch (type) {
    case "begin":
      // A node that works on several items begins as often; what it said before is a paragraph of its own.
      return { ...answer, parts: withParagraphBreak(answer.parts), isOver: false };
    case "item":
      // While a call asks, the words that say so are for those who see no card.
      if (answer.parts.some((part) => part.kind === "tool" && part.isRunning && part.asked))
        return answer;
      return { ...answer, parts: withText(answer.parts, chunkText(content)) };
    case "tool-start":
      return { ...answer, parts: withTool(answer.parts, toolPart(fields)) };
    case "approval": {
      const asked = fromEvent(fields, "", metadata?.nodeName ?? "") ?? undefined;
      return { ...answer, parts: withTool(answer.parts, { ...toolPart(fields), asked }) };
    }
    case "tool-end":
      return { ...answer, parts: withResult(answer.parts, fields) };
    case "usage":
      return {
        ...answer,
        inputTokens: answer.inputTokens + count(fields.inputTokens),
        outputTokens: answer.outputTokens + count(fields.outputTokens),
        dollars:
          typeof fields.dollars === "number"
            ? (answer.dollars ?? 0) + fields.dollars
            : answer.dollars,
      };
    case "done":
      return {
        ...answer,
        isOver: true,
        finishReason: typeof fields.finishReason === "string" ? fields.finishReason : undefined,
        iterations: typeof fields.iterations === "number" ? fields.iterations : undefined,
      };
    case "end":
      return { ...answer, isOver: true };
    case "error":
      return { ...answer, isOver: true, isFailed: true };
    default:
      return answer;
  }
}

/** All the words of an answer, without its tools. */
export function answerText(answer: Pick<Answer, "parts">): string {
  const texts = answer.parts.filter((part) => part.kind === "text").map((part) => part.text.trim());
  return texts.filter(Boolean).join("\n\n");
}

/** The words in what a workflow answers: the field that holds them, or all of it as JSON. */
export function extractText(value: unknown): string {
  if (typeof value === "string") return value;
  const found = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof found === "object" && found !== null) {
    const fields = found as Record<string, unknown>;
    const inner = fields.output ?? fields.response ?? fields.text ?? fields.message;
    if (typeof inner === "string") return inner;
    const values = Object.values(fields);
    if (values.length === 0) return "";
    // One text and nothing else is what was meant to be said, whatever it is called.
    if (values.length === 1 && typeof values[0] === "string") return values[0];
    return `\`\`\`json\n${JSON.stringify(inner ?? found, null, 2)}\n\`\`\``;
  }
  return found === undefined || found === null ? "" : String(found);
}

/** A piece that is JSON is the item of a last node, whose words are meant. */
function chunkText(content: unknown): string {
  if (typeof content !== "string") return extractText(content);
  if (!content.startsWith("{")) return content;
  try {
    return extractText(JSON.parse(content));
  } catch {
    return content;
  }
}

function withText(parts: readonly AnswerPart[], text: string): AnswerPart[] {
  const last = parts.at(-1);
  if (last?.kind === "text")
    return [...parts.slice(0, -1), { kind: "text", text: last.text + text }];
  return text === "" ? [...parts] : [...parts, { kind: "text", text }];
}

function withParagraphBreak(parts: readonly AnswerPart[]): readonly AnswerPart[] {
  const last = parts.at(-1);
  if (last?.kind !== "text" || last.text.trim() === "") return parts;
  return [...parts.slice(0, -1), { kind: "text", text: `${last.text}\n\n` }];
}

function toolPart(fields: Record<string, unknown>): ToolPart {
  return {
    kind: "tool",
    id: String(fields.id ?? ""),
    name: String(fields.name ?? "tool"),
    arguments: fields.arguments,
    isError: false,
    durationMs: null,
    isRunning: true,
  };
}

/** A call that was asked about and then begins, or is asked about after it began, is one call. */
function withTool(parts: readonly AnswerPart[], part: ToolPart): AnswerPart[] {
  const at = parts.findIndex(
    (known) => known.kind === "tool" && known.isRunning && known.id === part.id,
  );
  const known = parts[at];
  if (known?.kind !== "tool" || (!known.asked && !part.asked)) return [...parts, part];
  return parts.map((one, index) =>
    index === at ? { ...known, ...part, asked: part.asked ?? known.asked } : one,
  );
}

/** The first call under this id that still runs has ended: providers may use an id twice. */
function withResult(parts: readonly AnswerPart[], fields: Record<string, unknown>): AnswerPart[] {
  const id = String(fields.id ?? "");
  const at = parts.findIndex((part) => part.kind === "tool" && part.isRunning && part.id === id);
  const begun = parts[at];
  const ended: ToolPart = {
    ...(begun?.kind === "tool" ? begun : toolPart(fields)),
    result: fields.result,
    isError: fields.isError === true,
    durationMs: typeof fields.durationMs === "number" ? fields.durationMs : null,
    isRunning: false,
  };
  return at < 0 ? [...parts, ended] : parts.map((part, index) => (index === at ? ended : part));
}

function count(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
