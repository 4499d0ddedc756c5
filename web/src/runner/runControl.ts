// Runs what is on the canvas, watches it, and stops it. There is one run in sight at a time; a new one takes the place of the last.

import { create } from "zustand";
import { getCatalogue } from "../api/catalogue";
import { ApiError, api, queryClient } from "../api/client";
import type { ExecutionOutline } from "../api/generated";
import { urlPath } from "../api/url";
import type { WorkflowDocument } from "../api/workflowDocument";
import { findWaitingChatTrigger } from "../graph/chatEndpoint";
import { followEvents, type Subscription } from "../run/eventStream";
import { carryOverResults, mergeStoredRun } from "../run/mergeRunViews";
import { fromOutline } from "../run/outline";
import { reduceEvents } from "../run/runReducer";
import {
  emptyView,
  isOver,
  listeningView,
  type RunEvent,
  type RunView,
  type TestAddress,
} from "../run/runView";
import { useDrawer } from "../store/drawerStore";
import { useEditor } from "../store/editorStore";
import { saveWorkflow } from "../store/saveWorkflow";
import { toast } from "../ui";

export interface StartOptions {
  /** The trigger that starts; the server chooses when there is only one. */
  trigger?: string;
  /** Run to here: this node and only what it needs. */
  until?: string;
  /** Begin at this node with the input it had. */
  start?: string;
  /** What the trigger gives. */
  items?: { json: Record<string, unknown>; binary?: Record<string, unknown> }[];
  /** An earlier execution whose results are taken where nothing changed. `"last"` is the one in sight. */
  reuse?: "last" | string;
}

interface StartResponse {
  executionId: string | null;
  waitingFor?: TestAddress | TestAddress[];
  addresses?: TestAddress[];
  expiresAt?: string;
}

interface WatchState {
  /** A run was asked for and the server has not answered yet. */
  isStarting: boolean;
  isStopping: boolean;
  /** The line to the server is broken; what is shown may be behind. */
  isDisconnected: boolean;
}

/** What the buttons around a run need to know beside the run itself. */
export const useRunWatch = create<WatchState>()(() => ({
  isStarting: false,
  isStopping: false,
  isDisconnected: false,
}));

let subscription: Subscription | null = null;
let expiry: ReturnType<typeof setTimeout> | undefined;
let lostTimer: ReturnType<typeof setTimeout> | undefined;
/** Grows with every run that is begun or opened, so that an answer that comes late is not taken for the newest. */
let generation = 0;

/** Runs the document on the canvas. Gives the execution's id, or `null` if it waits for a call or could not begin. */
export async function startRun(options: StartOptions = {}): Promise<string | null> {
  if (isWithoutMessage(options)) {
    useDrawer.getState().requestMessage();
    return null;
  }
  try {
    return await beginRun(options);
  } catch (error) {
    toastError(error, "Could not start the workflow");
    return null;
  }
}

/** A chat begins with a message, so whoever runs one is led to where it is written. */
function isWithoutMessage({ trigger, until, start, items }: StartOptions): boolean {
  if (items || until || start) return false;
  return findWaitingChatTrigger(useEditor.getState().workflow, trigger, getCatalogue()) !== null;
}

/** The same for whoever tells in words of their own why it could not begin. */
export async function beginRun(options: StartOptions): Promise<string | null> {
  const mine = ++generation;
  const { workflow, run: last } = useEditor.getState();
  useRunWatch.setState({ isStarting: true });
  try {
    const id = workflow.id ?? (await saveFirst());
    if (id === null) return null;
    const answer = await api.post<StartResponse>(urlPath`/workflows/${id}/run`, {
      workflow: runDocument(workflow),
      ...options,
      reuse: options.reuse === "last" ? reusableExecution(last) : options.reuse,
    });
    if (mine !== generation) return answer.executionId;
    if (answer.executionId === null) {
      listenForTestCall(id, addressesOf(answer), last);
      return null;
    }
    followExecution(
      answer.executionId,
      id,
      options.until || options.start ? carryOverResults(last) : null,
    );
    return answer.executionId;
  } finally {
    if (mine === generation) useRunWatch.setState({ isStarting: false });
  }
}

/** Runs a node and what it needs, taking from the run in sight whatever has not changed. */
export function runToNode(node: string): Promise<string | null> {
  return startRun({ until: node, reuse: "last" });
}

export async function stopRun(): Promise<void> {
  const { run } = useEditor.getState();
  if (!run || isOver(run)) return;
  useRunWatch.setState({ isStopping: true });
  try {
    if (run.status === "listening") {
      stopFollowing();
      useEditor.getState().setRun(null);
      await api.delete(urlPath`/workflows/${run.workflowId}/test-webhook`);
    } else await api.post(urlPath`/executions/${run.executionId}/stop`);
  } catch (error) {
    // It came to its end in the meantime, which is what was wanted.
    if (!(error instanceof ApiError && (error.status === 404 || error.code === "EXECUTION_STATUS")))
      toastError(error, "Could not stop the execution");
  } finally {
    useRunWatch.setState({ isStopping: false });
  }
}

/** Shows an execution over the canvas; one that still goes on is followed. */
export async function showExecution(executionId: string): Promise<RunView> {
  const mine = ++generation;
  stopFollowing();
  const view = fromOutline(
    await api.get<ExecutionOutline>(urlPath`/executions/${executionId}/outline`),
  );
  if (mine !== generation) return view;
  // The stream of a run that goes on tells it from its start, so nothing of the outline is needed.
  if (isOver(view)) useEditor.getState().setRun(view);
  else
    followExecution(executionId, view.workflowId, {
      ...emptyView(executionId, view.workflowId, view.startedAt),
      mode: view.mode,
    });
  return view;
}

/** Follows a run that was begun elsewhere, such as by a retry. */
export function followRun(executionId: string, workflowId: string): void {
  ++generation;
  followExecution(executionId, workflowId, null);
}

/** Ends all following, when the editor is left. */
export function stopFollowing(): void {
  subscription?.stop();
  subscription = null;
  clearTimeout(expiry);
  clearTimeout(lostTimer);
  useRunWatch.setState({ isDisconnected: false });
}

function followExecution(executionId: string, workflowId: string, begun: RunView | null): void {
  stopFollowing();
  const mine = generation;
  let view: RunView = {
    ...(begun ?? emptyView(executionId, workflowId)),
    executionId,
    workflowId,
    source: "live",
  };
  useEditor.getState().setRun(view);
  const show = (next: RunView) => {
    view = next;
    if (mine === generation) useEditor.getState().setRun(view);
  };
  subscription = followEvents({
    path: urlPath`/api/v1/executions/${executionId}/events`,
    onEvents: (events) => show(reduceEvents(view, events)),
    // A run that falls asleep tells an end too, and the server hangs up; it is followed further for when it wakes.
    endsWith: (event) => event.type === "executionFinished" && event.data.status !== "waiting",
    onConnection: onConnectionState,
    onReturn: () => void recheckRecord(executionId, mine),
    onEnd: () => void finishRun(executionId, () => view, show),
    onRefused: (status) => {
      toast({ text: `Lost track of execution ${executionId} (${status}).`, tone: "bad" });
    },
  });
}

/** A server that was cut off may have left a step in doubt. No event tells that, so the record is asked. */
async function recheckRecord(executionId: string, mine: number): Promise<void> {
  const outline = await api
    .get<ExecutionOutline>(urlPath`/executions/${executionId}/outline`)
    .catch(() => null);
  if (outline?.status !== "uncertain" || mine !== generation) return;
  stopFollowing();
  useEditor.getState().setRun(fromOutline(outline));
  void queryClient.invalidateQueries({ queryKey: ["executions"] });
}

/** The record that the server keeps says more than its events did: sources, sizes, results that were reused. */
async function finishRun(
  executionId: string,
  now: () => RunView,
  show: (view: RunView) => void,
): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: ["executions"] });
  try {
    const outline = await api.get<ExecutionOutline>(urlPath`/executions/${executionId}/outline`);
    show(mergeStoredRun(now(), fromOutline(outline)));
  } catch {
    // A workflow may keep no record of its runs; then what was heard is all there is.
  }
}

function listenForTestCall(
  workflowId: string,
  addresses: TestAddress[],
  last: RunView | null,
): void {
  stopFollowing();
  const mine = generation;
  useEditor.getState().setRun(listeningView(workflowId, addresses));
  const begun = (event: RunEvent) => event.type === "executionStarted";
  subscription = followEvents({
    path: urlPath`/api/v1/events?workflowId=${workflowId}`,
    onEvents: (events) => {
      const first = events.find(begun);
      if (first && mine === generation)
        followExecution(String(first.data.executionId), workflowId, null);
    },
    endsWith: begun,
    onConnection: onConnectionState,
  });
  const until = addresses.find((address) => address.expiresAt)?.expiresAt;
  const left = until ? Date.parse(until) - Date.now() : 120_000;
  expiry = setTimeout(() => {
    if (mine !== generation || useEditor.getState().run?.status !== "listening") return;
    stopFollowing();
    useEditor.getState().setRun(last && isOver(last) ? last : null);
    toast({ text: "No test event received in time. Start listening again, then call the URL." });
  }, left);
}

/** A line that is back within a moment is no news. */
function onConnectionState(state: "open" | "lost"): void {
  clearTimeout(lostTimer);
  if (state === "open") useRunWatch.setState({ isDisconnected: false });
  else lostTimer = setTimeout(() => useRunWatch.setState({ isDisconnected: true }), 2000);
}

function addressesOf(answer: StartResponse): TestAddress[] {
  const told = answer.waitingFor ?? answer.addresses ?? [];
  return (Array.isArray(told) ? told : [told]).map((address) => ({
    ...address,
    expiresAt: address.expiresAt ?? answer.expiresAt,
  }));
}

/** The document as it is sent: what the canvas shows, saved or not. */
function runDocument({
  name,
  nodes,
  connections,
  settings,
  pinData,
}: WorkflowDocument): Partial<WorkflowDocument> {
  return { name, nodes, connections, settings: settings ?? {}, pinData: pinData ?? {} };
}

function reusableExecution(last: RunView | null): string | undefined {
  return last?.executionId && isOver(last) ? last.executionId : undefined;
}

/** A run needs the rights of a stored workflow, so one that was never saved is saved before its first run. */
async function saveFirst(): Promise<string | null> {
  const isSaved = await saveWorkflow();
  return isSaved ? (useEditor.getState().workflow.id ?? null) : null;
}

function toastError(error: unknown, otherwise: string): void {
  const words =
    error instanceof ApiError
      ? [error.message, error.hint].filter(Boolean).join(". ")
      : (error as Error).message;
  toast({ text: words || otherwise, tone: "bad" });
}
