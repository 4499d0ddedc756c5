// The test chat of the workflow in the editor: its conversations, and how a message is sent and its answer awaited.

import { create } from "zustand";
import { ApiError } from "../api/client";
import { type AnswerPart, answerText, extractText } from "../run/answer";
import { fetchItems } from "../run/runItems";
import { isOver, type RunFailure, type RunView } from "../run/runView";
import { beginRun, stopRun } from "../runner/runControl";
import { useEditor } from "../store/editorStore";
import { reportParts as toldBy } from "../timeline/agentReport";
import { fetchReport, listAgents } from "../timeline/useAgentReport";
import {
  type ChatFile,
  type ChatMessage,
  type ChatSession,
  chatInputItem,
  createPendingReply,
  createSession,
  createUserMessage,
  parseSessions,
  serializeSessions,
  sessionsStorageKey,
  withMessage,
} from "./chatSessions";

interface ChatState {
  workflowId: string | null;
  sessions: ChatSession[];
  current: string;
  /** Takes the conversations of a workflow. */
  openWorkflow(workflowId: string): void;
  startSession(): void;
  selectSession(id: string): void;
  deleteSession(id: string): void;
  /** Puts back what was forgotten, as long as its workflow is still the one on the canvas. */
  restoreSession(workflowId: string | null, session: ChatSession): void;
  putMessage(session: string, message: ChatMessage): void;
}

export const useChat = create<ChatState>()((set, get) => ({
  workflowId: null,
  sessions: [],
  current: "",

  openWorkflow(workflowId) {
    if (get().workflowId === workflowId) return;
    // A workflow gets its id when it is first run: the conversation that began before goes on.
    const begun =
      get().workflowId === ""
        ? get().sessions.filter((session) => session.messages.length > 0)
        : [];
    const sessions = [...begun, ...parseSessions(readStored(workflowId))];
    const first = begun[0] ?? createSession();
    set({
      workflowId,
      sessions: sessions.includes(first) ? sessions : [first, ...sessions],
      current: first.id,
    });
  },

  startSession() {
    const session = createSession();
    set({
      sessions: [session, ...get().sessions.filter((one) => one.messages.length > 0)],
      current: session.id,
    });
  },

  selectSession(current) {
    set({ current });
  },

  deleteSession(id) {
    const left = get().sessions.filter((session) => session.id !== id);
    const sessions = left.length > 0 ? left : [createSession()];
    set({ sessions, current: get().current === id ? (sessions[0]?.id ?? "") : get().current });
    persist(get());
  },

  restoreSession(workflowId, session) {
    const { sessions } = get();
    if (get().workflowId !== workflowId || sessions.some((one) => one.id === session.id)) return;
    set({ sessions: [session, ...sessions], current: session.id });
    persist(get());
  },

  putMessage(id, message) {
    set({
      sessions: get().sessions.map((session) =>
        session.id === id ? withMessage(session, message) : session,
      ),
    });
    if (message.state !== "coming") persist(get());
  },
}));

/** Sends a message through a chat trigger and shows its answer as it comes. */
export async function sendMessage(trigger: string, text: string, files: ChatFile[]): Promise<void> {
  const { current: session, putMessage } = useChat.getState();
  putMessage(session, createUserMessage(text, files));
  let answer = createPendingReply();
  putMessage(session, answer);
  let executionId: string | null = null;
  try {
    executionId = await beginRun({ trigger, items: [chatInputItem(session, text, files)] });
  } catch (failure) {
    putMessage(session, { ...answer, state: "failed", error: toRunError(failure) });
    return;
  }
  if (executionId === null) {
    putMessage(session, { ...answer, state: "stopped" });
    return;
  }
  answer = { ...answer, executionId };
  putMessage(session, answer);
  const view = await waitForEnd(executionId, (run) =>
    putMessage(session, { ...answer, parts: receivedParts(run) }),
  );
  putMessage(
    session,
    view === null ? { ...answer, state: "stopped" } : await completeReply(answer, view),
  );
}

export { stopRun as stopAnswer };

function toRunError(failure: unknown): RunFailure {
  if (failure instanceof ApiError)
    return {
      code: failure.code || "REQUEST_INVALID",
      message: failure.message,
      hint: failure.hint,
    };
  return {
    code: "REQUEST_INVALID",
    message: failure instanceof Error ? failure.message : String(failure),
  };
}

/** Waits for the end of a run, telling every step. `null` if another run took its place. */
function waitForEnd(executionId: string, tell: (run: RunView) => void): Promise<RunView | null> {
  return new Promise((resolve) => {
    const look = (run: RunView | null): boolean => {
      if (run?.executionId !== executionId) {
        resolve(null);
        return true;
      }
      tell(run);
      if (!isOver(run)) return false;
      resolve(run);
      return true;
    };
    if (look(useEditor.getState().run)) return;
    const end = useEditor.subscribe((state, before) => {
      if (state.run !== before.run && look(state.run)) end();
    });
  });
}

/** What has been heard so far, of all agents in the order they spoke. */
function receivedParts(run: RunView): AnswerPart[] {
  return [...run.answers.values()].flatMap((answer) => answer.parts);
}

async function completeReply(answer: ChatMessage, run: RunView): Promise<ChatMessage> {
  const heard = receivedParts(run);
  if (run.status === "canceled") return { ...answer, parts: heard, state: "stopped" };
  if (run.status !== "success") {
    const error = run.error ?? {
      code: "RUN_FAILED",
      message: `Execution ended with status ${run.status}`,
    };
    return { ...answer, parts: heard, error, state: "failed" };
  }
  const text = await lastOutputText(run);
  const parts = await fetchRecordedParts(run, heard);
  const spoken = answerText({ parts });
  const isWhole =
    text === "" ||
    spoken.endsWith(text.trim()) ||
    (spoken !== "" && text.includes(JSON.stringify(spoken)));
  return {
    ...answer,
    text: text || spoken,
    parts: isWhole ? parts : [...parts, { kind: "text", text }],
    state: "done",
  };
}

/** What was said and done before anybody listened is not heard, but it is on record. */
async function fetchRecordedParts(run: RunView, heard: AnswerPart[]): Promise<AnswerPart[]> {
  const nTools = [...run.nodes.values()]
    .flat()
    .filter((one) => one.served?.kind === "ai_tool").length;
  const isHeard =
    heard.some((part) => part.kind === "text") &&
    heard.filter((part) => part.kind === "tool").length >= nTools;
  const agents = isHeard ? [] : listAgents(run);
  if (agents.length === 0) return heard;
  try {
    const reports = await Promise.all(
      agents.map((node) =>
        fetchReport(run.executionId, node, run.nodes.get(node)?.at(-1)?.runIndex ?? 0),
      ),
    );
    return reports.flatMap(toldBy);
  } catch {
    return heard;
  }
}

/** The words of the last step that gave anything. */
async function lastOutputText(run: RunView): Promise<string> {
  let last: { node: string; run: number; output: number; order: number } | null = null;
  for (const [node, runs] of run.nodes) {
    for (const one of runs) {
      const output = one.served
        ? undefined
        : one.outputs.find((each) => each.kind === "main" && each.items > 0);
      if (output && (!last || one.order > last.order))
        last = { node, run: one.runIndex, output: output.index, order: one.order };
    }
  }
  if (!last) return "";
  try {
    const page = await fetchItems({ executionId: run.executionId, ...last, limit: 1 });
    const item = page.items[0];
    return item?.preview ?? extractText(item?.json);
  } catch {
    return "";
  }
}

function readStored(workflowId: string): string | null {
  try {
    return workflowId ? localStorage.getItem(sessionsStorageKey(workflowId)) : null;
  } catch {
    return null;
  }
}

function persist({ workflowId, sessions }: ChatState): void {
  try {
    if (workflowId)
      localStorage.setItem(sessionsStorageKey(workflowId), serializeSessions(sessions));
  } catch {
    // A full or closed storage is no reason to stop talking.
  }
}
