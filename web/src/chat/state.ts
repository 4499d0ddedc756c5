// The test chat of the workflow in the editor: its conversations, and how a message is sent and its answer awaited.

import { create } from "zustand";
import { ApiError } from "../api/client";
import { useEditor } from "../editor/store";
import { type AnswerPart, textOf, wordsOf } from "../run/answer";
import { fetchItems } from "../run/items";
import { beginRun, stopRun } from "../run/start";
import { isOver, type RunError, type RunView } from "../run/view";
import { partsOf as toldBy } from "../timeline/report";
import { agentsIn, fetchReport } from "../timeline/useAgent";
import {
  awaited,
  type ChatFile,
  type ChatMessage,
  type ChatSession,
  fromKept,
  itemOf,
  keptAt,
  newSession,
  personSays,
  toKept,
  withMessage,
} from "./sessions";

interface ChatState {
  workflowId: string | null;
  sessions: ChatSession[];
  current: string;
  /** Takes the conversations of a workflow. */
  open(workflowId: string): void;
  begin(): void;
  choose(id: string): void;
  forget(id: string): void;
  /** Puts back what was forgotten, as long as its workflow is still the one on the canvas. */
  bringBack(workflowId: string | null, session: ChatSession): void;
  put(session: string, message: ChatMessage): void;
}

export const useChat = create<ChatState>()((set, get) => ({
  workflowId: null,
  sessions: [],
  current: "",

  open(workflowId) {
    if (get().workflowId === workflowId) return;
    // A workflow gets its id when it is first run: the conversation that began before goes on.
    const begun = get().workflowId === "" ? get().sessions.filter((session) => session.messages.length > 0) : [];
    const sessions = [...begun, ...fromKept(read(workflowId))];
    const first = begun[0] ?? newSession();
    set({ workflowId, sessions: sessions.includes(first) ? sessions : [first, ...sessions], current: first.id });
  },

  begin() {
    const session = newSession();
    set({ sessions: [session, ...get().sessions.filter((one) => one.messages.length > 0)], current: session.id });
  },

  choose(current) {
    set({ current });
  },

  forget(id) {
    const left = get().sessions.filter((session) => session.id !== id);
    const sessions = left.length > 0 ? left : [newSession()];
    set({ sessions, current: get().current === id ? (sessions[0]?.id ?? "") : get().current });
    keep(get());
  },

  bringBack(workflowId, session) {
    const { sessions } = get();
    if (get().workflowId !== workflowId || sessions.some((one) => one.id === session.id)) return;
    set({ sessions: [session, ...sessions], current: session.id });
    keep(get());
  },

  put(id, message) {
    set({ sessions: get().sessions.map((session) => (session.id === id ? withMessage(session, message) : session)) });
    if (message.state !== "coming") keep(get());
  },
}));

/** Sends a message through a chat trigger and shows its answer as it comes. */
export async function say(trigger: string, text: string, files: ChatFile[]): Promise<void> {
  const { current: session, put } = useChat.getState();
  put(session, personSays(text, files));
  let answer = awaited();
  put(session, answer);
  let executionId: string | null = null;
  try {
    executionId = await beginRun({ trigger, items: [itemOf(session, text, files)] });
  } catch (failure) {
    put(session, { ...answer, state: "failed", error: errorOf(failure) });
    return;
  }
  if (executionId === null) {
    put(session, { ...answer, state: "stopped" });
    return;
  }
  answer = { ...answer, executionId };
  put(session, answer);
  const view = await over(executionId, (run) => put(session, { ...answer, parts: heardOf(run) }));
  put(session, view === null ? { ...answer, state: "stopped" } : await finished(answer, view));
}

export { stopRun as stopAnswer };

function errorOf(failure: unknown): RunError {
  if (failure instanceof ApiError)
    return { code: failure.code || "REQUEST_INVALID", message: failure.message, hint: failure.hint };
  return { code: "REQUEST_INVALID", message: failure instanceof Error ? failure.message : String(failure) };
}

/** Waits for the end of a run, telling every step. `null` if another run took its place. */
function over(executionId: string, tell: (run: RunView) => void): Promise<RunView | null> {
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
function heardOf(run: RunView): AnswerPart[] {
  return [...run.answers.values()].flatMap((answer) => answer.parts);
}

async function finished(answer: ChatMessage, run: RunView): Promise<ChatMessage> {
  const heard = heardOf(run);
  if (run.status === "canceled") return { ...answer, parts: heard, state: "stopped" };
  if (run.status !== "success") {
    const error = run.error ?? { code: "RUN_FAILED", message: `The run ended as ${run.status}` };
    return { ...answer, parts: heard, error, state: "failed" };
  }
  const text = await lastWords(run);
  const parts = await wholeParts(run, heard);
  const spoken = textOf({ parts });
  const isWhole = text === "" || spoken.endsWith(text.trim()) || (spoken !== "" && text.includes(JSON.stringify(spoken)));
  return { ...answer, text: text || spoken, parts: isWhole ? parts : [...parts, { kind: "text", text }], state: "done" };
}

/** What was said and done before anybody listened is not heard, but it is on record. */
async function wholeParts(run: RunView, heard: AnswerPart[]): Promise<AnswerPart[]> {
  const nTools = [...run.nodes.values()].flat().filter((one) => one.served?.kind === "ai_tool").length;
  const isHeard = heard.some((part) => part.kind === "text") && heard.filter((part) => part.kind === "tool").length >= nTools;
  const agents = isHeard ? [] : agentsIn(run);
  if (agents.length === 0) return heard;
  try {
    const reports = await Promise.all(
      agents.map((node) => fetchReport(run.executionId, node, run.nodes.get(node)?.at(-1)?.runIndex ?? 0)),
    );
    return reports.flatMap(toldBy);
  } catch {
    return heard;
  }
}

/** The words of the last step that gave anything. */
async function lastWords(run: RunView): Promise<string> {
  let last: { node: string; run: number; output: number; order: number } | null = null;
  for (const [node, runs] of run.nodes) {
    for (const one of runs) {
      const output = one.served ? undefined : one.outputs.find((each) => each.kind === "main" && each.items > 0);
      if (output && (!last || one.order > last.order)) last = { node, run: one.runIndex, output: output.index, order: one.order };
    }
  }
  if (!last) return "";
  try {
    const page = await fetchItems({ executionId: run.executionId, ...last, limit: 1 });
    const item = page.items[0];
    return item?.preview ?? wordsOf(item?.json);
  } catch {
    return "";
  }
}

function read(workflowId: string): string | null {
  try {
    return workflowId ? localStorage.getItem(keptAt(workflowId)) : null;
  } catch {
    return null;
  }
}

function keep({ workflowId, sessions }: ChatState): void {
  try {
    if (workflowId) localStorage.setItem(keptAt(workflowId), toKept(sessions));
  } catch {
    // A full or closed storage is no reason to stop talking.
  }
}
