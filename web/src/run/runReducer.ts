// How a run changes with each event that the server tells of it. Pure.

import { type AnswerChunk, addChunk } from "./answer";
import { fromEvent, mergeApproval } from "./approval";
import {
  createRun,
  type EventData,
  indexOfRun,
  type ModelSpending,
  type NodeRunView,
  parseError,
  parseFailure,
  parseRunStatus,
  parseStepStatus,
  type RunEvent,
  type RunView,
  stringField,
} from "./runView";

export function reduceEvent(view: RunView, event: RunEvent): RunView {
  return reduceEvents(view, [event]);
}

/** Applies a batch of events at the price of one copy, because a fast run tells hundreds between two frames. */
export function reduceEvents(view: RunView, events: readonly RunEvent[]): RunView {
  if (events.length === 0) return view;
  const draft = new ViewDraft(view);
  for (const event of events) draft.apply(event);
  return draft.view;
}

/** Of a node that logs without end the last lines are kept. */
const MAX_LINES = 1000;

/** A copy that may be written to, which copies a node's list only when it is touched. */
class ViewDraft {
  readonly view: { -readonly [K in keyof RunView]: RunView[K] };
  private readonly nodes: Map<string, NodeRunView[]>;
  private readonly touched = new Set<string>();

  constructor(view: RunView) {
    this.nodes = new Map(view.nodes);
    this.view = { ...view, nodes: this.nodes };
  }

  apply({ type, data }: RunEvent): void {
    const node = "node" in data ? stringField(data.node) : "";
    switch (type) {
      case "executionStarted":
        this.view.status = "running";
        // A stream of one run tells of no other.
        this.view.executionId ||= stringField(data.executionId);
        this.view.workflowId = stringField(data.workflowId) || this.view.workflowId;
        this.view.mode = stringField(data.mode) || this.view.mode;
        this.view.startedAt = numberField(data.startedMs, this.view.startedAt);
        this.view.listening = undefined;
        return;
      case "nodeStarted":
        this.resumeRun();
        this.beginRun(node, numberField(data.run, 0), numberField(data.startedMs, 0));
        return;
      case "nodeFinished":
        this.finishRun(node, data);
        return;
      case "nodeServed":
        this.recordSubNodeCall(node, data);
        return;
      case "nodeRetried":
        this.updateRun(node, (run) => ({
          ...run,
          retries: Math.max(run.retries, numberField(data.attempt, run.retries + 1)),
        }));
        return;
      case "nodeLog":
        this.updateRun(node, (run) => ({
          ...run,
          lines: [...run.lines.slice(1 - MAX_LINES), stringField(data.line)],
        }));
        return;
      case "nodeStep":
        this.updateRun(node, (run) => ({ ...run, notes: run.notes + 1 }));
        return;
      case "approval":
        this.recordApproval(node, data);
        return;
      case "nodeSilent":
        this.dropEmptyRun(node);
        return;
      case "modelUsed":
        this.addSpending(node, data);
        return;
      case "executionWaiting":
        this.view.status = "waiting";
        this.view.waiting = {
          node,
          untilMs: typeof data.untilMs === "number" ? data.untilMs : null,
          execution: stringField(data.waitsFor) || null,
          asks: data.asks === true,
        };
        this.updateRun(node, (run) => ({ ...run, status: "waiting" }));
        return;
      case "executionResumed":
        this.resumeRun();
        this.resumeWaitingSteps();
        return;
      case "executionFinished":
        this.endRun(data);
        return;
      case "agent":
        this.addAnswerChunk({ ...data, type: data.type ?? "" });
        return;
      default:
        // A newer server may tell more than this editor knows; what it does not know it leaves out.
        return;
    }
  }

  private writableRuns(node: string): NodeRunView[] {
    let list = this.nodes.get(node);
    if (!list || !this.touched.has(node)) {
      list = [...(list ?? [])];
      this.nodes.set(node, list);
      this.touched.add(node);
    }
    return list;
  }

  private updateRun(node: string, f: (run: NodeRunView) => NodeRunView): void {
    const list = this.writableRuns(node);
    const at = list.length - 1;
    const last = list[at];
    if (last) list[at] = f(last);
    else this.nodes.delete(node);
  }

  private beginRun(node: string, runIndex: number, startedMs: number): NodeRunView {
    const list = this.writableRuns(node);
    if (list[0]?.status === "reused") this.resetReused(node, list);
    const at = indexOfRun(list, runIndex);
    const begun: NodeRunView = {
      ...createRun(runIndex, startedMs),
      order: at < 0 ? this.view.steps++ : (list[at]?.order ?? 0),
    };
    // A step that was cut off by a crash begins once more under the same number.
    if (at < 0) list.push(begun);
    else list[at] = begun;
    return begun;
  }

  /** A node whose results were taken over runs after all: neither they nor what served it then counts any more. */
  private resetReused(node: string, list: NodeRunView[]): void {
    list.length = 0;
    for (const [name, runs] of this.nodes) {
      if (!runs.some((run) => run.served?.above === node)) continue;
      const kept = runs.filter((run) => run.served?.above !== node);
      this.touched.add(name);
      if (kept.length > 0) this.nodes.set(name, kept);
      else this.nodes.delete(name);
    }
  }

  private finishRun(node: string, data: EventData<"nodeFinished">): void {
    const runIndex = numberField(data.run, 0);
    const list = this.writableRuns(node);
    if (indexOfRun(list, runIndex) < 0)
      this.beginRun(node, runIndex, Date.now() - numberField(data.durationMs, 0));
    const counts = Array.isArray(data.items) ? data.items : [];
    const at = indexOfRun(list, runIndex);
    const run = list[at];
    if (!run) return;
    list[at] = {
      ...run,
      // What began before the run itself was taken over from an earlier one.
      status:
        run.startedMs < this.view.startedAt && data.status === "success"
          ? "reused"
          : parseStepStatus(data.status, parseError(data.error)),
      durationMs: numberField(data.durationMs, run.durationMs),
      outputs: counts.map((items, index) => ({
        kind: "main",
        index,
        items: numberField(items, 0),
      })),
      error: parseFailure(data.error),
    };
  }

  private recordSubNodeCall(node: string, data: EventData<"nodeServed">): void {
    const list = this.writableRuns(node);
    const durationMs = numberField(data.durationMs, 0);
    const kind = stringField(data.kind);
    list.push({
      ...createRun(list.length, Date.now() - durationMs),
      status: parseStepStatus(data.status),
      durationMs,
      outputs: [{ kind, index: 0, items: 1 }],
      order: this.view.steps++,
      error: parseError(data.error),
      served: { kind, above: stringField(data.serves) },
    });
  }

  /** A question of an agent, or its answer; both are notes of its step. */
  private recordApproval(node: string, data: EventData<"approval">): void {
    const asked = fromEvent(data, this.view.executionId, node);
    if (asked) this.view.approvals = mergeApproval(this.view.approvals, asked);
    this.updateRun(node, (run) => ({ ...run, notes: run.notes + 1 }));
  }

  /** A node that had nothing to say leaves no record. */
  private dropEmptyRun(node: string): void {
    const list = this.writableRuns(node);
    if (list.at(-1)?.status === "running") list.pop();
    if (list.length === 0) this.nodes.delete(node);
  }

  private addSpending(node: string, data: EventData<"modelUsed">): void {
    const model = stringField(data.model);
    const earlier = this.view.spent.find((row) => row.node === node && row.model === model);
    const dollars = typeof data.dollars === "number" ? data.dollars : null;
    const row: ModelSpending = {
      node,
      model,
      provider: stringField(data.provider),
      inputTokens: numberField(data.inputTokens, 0) + (earlier?.inputTokens ?? 0),
      cachedTokens: numberField(data.cachedTokens, 0) + (earlier?.cachedTokens ?? 0),
      outputTokens: numberField(data.outputTokens, 0) + (earlier?.outputTokens ?? 0),
      dollars:
        dollars === null && !earlier?.dollars ? null : (dollars ?? 0) + (earlier?.dollars ?? 0),
      calls: 1 + (earlier?.calls ?? 0),
    };
    this.view.spent = [...this.view.spent.filter((other) => other !== earlier), row];
  }

  private addAnswerChunk(chunk: AnswerChunk): void {
    const node = chunk.metadata?.nodeName ?? "";
    this.view.answers = new Map(this.view.answers).set(
      node,
      addChunk(this.view.answers.get(node), chunk),
    );
  }

  private resumeRun(): void {
    if (this.view.status === "waiting") this.view.status = "running";
    this.view.waiting = undefined;
  }

  /** Steps that slept are at work again. */
  private resumeWaitingSteps(): void {
    for (const [node, runs] of this.nodes) {
      if (runs.at(-1)?.status === "waiting")
        this.updateRun(node, (run) => ({ ...run, status: "running" }));
    }
  }

  private endRun(data: EventData<"executionFinished">): void {
    // Asleep is not over: what it waits for was told just before.
    if (data.status === "waiting") {
      this.view.status = "waiting";
      return;
    }
    this.view.status = parseRunStatus(data.status);
    this.view.finishedAt = numberField(data.finishedMs, Date.now());
    this.view.error = parseFailure(data.error);
    this.view.waiting = undefined;
    // Whatever still ran when the run ended was let go of with it.
    for (const [node, runs] of this.nodes) {
      if (!runs.some((run) => run.status === "running")) continue;
      const list = this.writableRuns(node);
      for (const [at, run] of list.entries()) {
        if (run.status !== "running") continue;
        const isToBlame = this.view.error?.node === node;
        list[at] = {
          ...run,
          status: isToBlame ? "error" : "canceled",
          error: isToBlame ? this.view.error : undefined,
        };
      }
    }
  }
}

function numberField(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}
