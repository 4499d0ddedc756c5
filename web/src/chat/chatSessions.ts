// Conversations of the test chat: what was said, kept in the browser by workflow so that one can be continued tomorrow. Pure.

import type { AnswerPart } from "../run/answer";
import type { RunFailure } from "../run/runView";

export interface ChatFile {
  name: string;
  mimeType: string;
  size: number;
  /** Base64; left out of what is kept. */
  data?: string;
}

export interface ChatMessage {
  id: string;
  from: "person" | "workflow";
  text: string;
  files: ChatFile[];
  /** The run that answers. */
  executionId: string | null;
  parts: readonly AnswerPart[];
  error: RunFailure | null;
  state: "coming" | "done" | "failed" | "stopped";
  atMs: number;
}

export interface ChatSession {
  id: string;
  beganMs: number;
  messages: ChatMessage[];
}

/** More than this many conversations of one workflow are not kept, nor longer ones than this. */
const MAX_SESSIONS = 20;
const MAX_MESSAGES = 200;

export function createSession(now = Date.now()): ChatSession {
  return { id: crypto.randomUUID(), beganMs: now, messages: [] };
}

export function createUserMessage(text: string, files: ChatFile[], now = Date.now()): ChatMessage {
  return {
    id: crypto.randomUUID(),
    from: "person",
    text,
    files,
    executionId: null,
    parts: [],
    error: null,
    state: "done",
    atMs: now,
  };
}

export function createPendingReply(now = Date.now()): ChatMessage {
  return {
    id: crypto.randomUUID(),
    from: "workflow",
    text: "",
    files: [],
    executionId: null,
    parts: [],
    error: null,
    state: "coming",
    atMs: now,
  };
}

export function withMessage(session: ChatSession, message: ChatMessage): ChatSession {
  const at = session.messages.findIndex((one) => one.id === message.id);
  const messages =
    at < 0
      ? [...session.messages, message]
      : session.messages.map((one, index) => (index === at ? message : one));
  return { ...session, messages };
}

/** A conversation's name: the first words that were said in it. */
export function sessionTitle(session: ChatSession): string {
  const first = session.messages.find((message) => message.from === "person");
  const words = first?.text.trim() || first?.files[0]?.name;
  if (!words) return "New conversation";
  return words.length > 48 ? `${words.slice(0, 47).trimEnd()}…` : words;
}

/** The newest first, those without a word left out except the current one. */
export function sortSessions(sessions: readonly ChatSession[], current: string): ChatSession[] {
  return sessions
    .filter((session) => session.messages.length > 0 || session.id === current)
    .sort((a, b) => b.beganMs - a.beganMs);
}

/** Under which key the browser keeps the conversations of a workflow. */
export function sessionsStorageKey(workflowId: string): string {
  return `heddle.chat.${workflowId}`;
}

export function serializeSessions(sessions: readonly ChatSession[]): string {
  const kept = sortSessions(sessions, "").slice(0, MAX_SESSIONS);
  return JSON.stringify(
    kept.map((session) => ({
      ...session,
      messages: session.messages.slice(-MAX_MESSAGES).map((message) => ({
        ...message,
        files: message.files.map(({ data: _, ...file }) => file),
        state: message.state === "coming" ? "stopped" : message.state,
      })),
    })),
  );
}

/** Reads what was kept; whatever does not look like conversations is none. */
export function parseSessions(text: string | null): ChatSession[] {
  try {
    const found: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found.filter(isSession) : [];
  } catch {
    return [];
  }
}

function isSession(value: unknown): value is ChatSession {
  const session = value as Partial<ChatSession> | null;
  return (
    typeof session?.id === "string" &&
    typeof session.beganMs === "number" &&
    Array.isArray(session.messages)
  );
}

/** The item that a chat trigger gives for a message, as n8n's chat sends it. */
export function chatInputItem(
  sessionId: string,
  text: string,
  files: readonly ChatFile[],
): { json: Record<string, unknown>; binary?: Record<string, unknown> } {
  const json: Record<string, unknown> = { sessionId, action: "sendMessage", chatInput: text };
  if (files.length === 0) return { json };
  const told = files.map((file) => ({
    fileName: file.name,
    mimeType: file.mimeType,
    fileSize: String(file.size),
    fileExtension: file.name.includes(".") ? (file.name.split(".").pop() ?? "") : "",
  }));
  json.files = told;
  return {
    json,
    binary: Object.fromEntries(
      files.map((file, at) => [`data${at}`, { ...told[at], data: file.data ?? "" }]),
    ),
  };
}
