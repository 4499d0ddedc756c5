// How a run changes with each event that the server tells of it. Pure.

import { addChunk, type Chunk } from "./answer";
import { ofEvent, withAsked } from "./approval";
import {
  error,
  failure,
  type NodeRun,
  newRun,
  placeOf,
  type RunEvent,
  type RunView,
  runStatus,
  type Spending,
  stepStatus,
  text,
} from "./view";

export function reduce(view: RunView, event: RunEvent): RunView {
  return reduceAll(view, [event]);
}

/** Applies a batch of events at the price of one copy, because a fast run tells hundreds between two frames. */
export function reduceAll(view: RunView, events: readonly RunEvent[]): RunView {
  if (events.length === 0) return view;
  const draft = new Draft(view);
  for (const event of events) draft.take(event);
  return draft.view;
}

/** Of a node that logs without end the last lines are kept. */
const MOST_LINES = 1000;

/** A copy that may be written to, which copies a node's list only when it is touched. */
class Draft {
  readonly view: { -readonly [K in keyof RunView]: RunView[K] };
  private readonly nodes: Map<string, NodeRun[]>;
  private readonly touched = new Set<string>();

  constructor(view: RunView) {
    this.nodes = new Map(view.nodes);
    this.view = { ...view, nodes: this.nodes };
  }

  take({ type, data }: RunEvent): void {
    const node = text(data.node);
    switch (type) {
      case "executionStarted":
        this.view.status = "running";
        // A stream of one run tells of no other.
        this.view.executionId ||= text(data.executionId);
        this.view.workflowId = text(data.workflowId) || this.view.workflowId;
        this.view.mode = text(data.mode) || this.view.mode;
        this.view.startedAt = number(data.startedMs, this.view.startedAt);
        this.view.listening = undefined;
        return;
      case "nodeStarted":
        this.wake();
        this.begin(node, number(data.run, 0), number(data.startedMs, 0));
        return;
      case "nodeFinished":
        this.finish(node, data);
        return;
      case "nodeServed":
        this.serve(node, data);
        return;
      case "nodeRetried":
        this.change(node, (run) => ({ ...run, retries: Math.max(run.retries, number(data.attempt, run.retries + 1)) }));
        return;
      case "nodeLog":
        this.change(node, (run) => ({ ...run, lines: [...run.lines.slice(1 - MOST_LINES), text(data.line)] }));
        return;
      case "nodeStep":
        this.change(node, (run) => ({ ...run, notes: run.notes + 1 }));
        return;
      case "approval":
        this.ask(node, data);
        return;
      case "nodeSilent":
        this.silence(node);
        return;
      case "modelUsed":
        this.spend(node, data);
        return;
      case "executionWaiting":
        this.view.status = "waiting";
        this.view.waiting = {
          node,
          untilMs: typeof data.untilMs === "number" ? data.untilMs : null,
          execution: text(data.waitsFor) || null,
          asks: data.asks === true,
        };
        this.change(node, (run) => ({ ...run, status: "waiting" }));
        return;
      case "executionResumed":
        this.wake();
        this.stir();
        return;
      case "executionFinished":
        this.end(data);
        return;
      case "agent":
        this.hear(data as unknown as Chunk);
        return;
      default:
        // A newer server may tell more than this editor knows; what it does not know it leaves out.
        return;
    }
  }

  private list(node: string): NodeRun[] {
    let list = this.nodes.get(node);
    if (!list || !this.touched.has(node)) {
      list = [...(list ?? [])];
      this.nodes.set(node, list);
      this.touched.add(node);
    }
    return list;
  }

  private change(node: string, f: (run: NodeRun) => NodeRun): void {
    const list = this.list(node);
    const at = list.length - 1;
    const last = list[at];
    if (last) list[at] = f(last);
    else this.nodes.delete(node);
  }

  private begin(node: string, runIndex: number, startedMs: number): NodeRun {
    const list = this.list(node);
    if (list[0]?.status === "reused") this.renew(node, list);
    const at = placeOf(list, runIndex);
    const begun: NodeRun = { ...newRun(runIndex, startedMs), order: at < 0 ? this.view.steps++ : (list[at]?.order ?? 0) };
    // A step that was cut off by a crash begins once more under the same number.
    if (at < 0) list.push(begun);
    else list[at] = begun;
    return begun;
  }

  /** A node whose results were taken over runs after all: neither they nor what served it then counts any more. */
  private renew(node: string, list: NodeRun[]): void {
    list.length = 0;
    for (const [name, runs] of this.nodes) {
      if (!runs.some((run) => run.served?.above === node)) continue;
      const kept = runs.filter((run) => run.served?.above !== node);
      this.touched.add(name);
      if (kept.length > 0) this.nodes.set(name, kept);
      else this.nodes.delete(name);
    }
  }

  private finish(node: string, data: Record<string, unknown>): void {
    const runIndex = number(data.run, 0);
    const list = this.list(node);
    if (placeOf(list, runIndex) < 0) this.begin(node, runIndex, Date.now() - number(data.durationMs, 0));
    const counts = Array.isArray(data.items) ? data.items : [];
    const at = placeOf(list, runIndex);
    const run = list[at];
    if (!run) return;
    list[at] = {
      ...run,
      // What began before the run itself was taken over from an earlier one.
      status:
        run.startedMs < this.view.startedAt && data.status === "success" ? "reused" : stepStatus(data.status, error(data.error)),
      durationMs: number(data.durationMs, run.durationMs),
      outputs: counts.map((items, index) => ({ kind: "main", index, items: number(items, 0) })),
      error: failure(data.error),
    };
  }

  private serve(node: string, data: Record<string, unknown>): void {
    const list = this.list(node);
    const durationMs = number(data.durationMs, 0);
    const kind = text(data.kind);
    list.push({
      ...newRun(list.length, Date.now() - durationMs),
      status: stepStatus(data.status),
      durationMs,
      outputs: [{ kind, index: 0, items: 1 }],
      order: this.view.steps++,
      error: error(data.error),
      served: { kind, above: text(data.serves) },
    });
  }

  /** A question of an agent, or its answer; both are notes of its step. */
  private ask(node: string, data: Record<string, unknown>): void {
    const asked = ofEvent(data, this.view.executionId, node);
    if (asked) this.view.approvals = withAsked(this.view.approvals, asked);
    this.change(node, (run) => ({ ...run, notes: run.notes + 1 }));
  }

  /** A node that had nothing to say leaves no record. */
  private silence(node: string): void {
    const list = this.list(node);
    if (list.at(-1)?.status === "running") list.pop();
    if (list.length === 0) this.nodes.delete(node);
  }

  private spend(node: string, data: Record<string, unknown>): void {
    const model = text(data.model);
    const earlier = this.view.spent.find((row) => row.node === node && row.model === model);
    const dollars = typeof data.dollars === "number" ? data.dollars : null;
    const row: Spending = {
      node,
      model,
      provider: text(data.provider),
      inputTokens: number(data.inputTokens, 0) + (earlier?.inputTokens ?? 0),
      cachedTokens: number(data.cachedTokens, 0) + (earlier?.cachedTokens ?? 0),
      outputTokens: number(data.outputTokens, 0) + (earlier?.outputTokens ?? 0),
      dollars: dollars === null && !earlier?.dollars ? null : (dollars ?? 0) + (earlier?.dollars ?? 0),
      calls: 1 + (earlier?.calls ?? 0),
    };
    this.view.spent = [...this.view.spent.filter((other) => other !== earlier), row];
  }

  private hear(chunk: Chunk): void {
    const node = chunk.metadata?.nodeName ?? "";
    this.view.answers = new Map(this.view.answers).set(node, addChunk(this.view.answers.get(node), chunk));
  }

  private wake(): void {
    if (this.view.status === "waiting") this.view.status = "running";
    this.view.waiting = undefined;
  }

  /** Steps that slept are at work again. */
  private stir(): void {
    for (const [node, runs] of this.nodes) {
      if (runs.at(-1)?.status === "waiting") this.change(node, (run) => ({ ...run, status: "running" }));
    }
  }

  private end(data: Record<string, unknown>): void {
    // Asleep is not over: what it waits for was told just before.
    if (data.status === "waiting") {
      this.view.status = "waiting";
      return;
    }
    this.view.status = runStatus(data.status);
    this.view.finishedAt = number(data.finishedMs, Date.now());
    this.view.error = failure(data.error);
    this.view.waiting = undefined;
    // Whatever still ran when the run ended was let go of with it.
    for (const [node, runs] of this.nodes) {
      if (!runs.some((run) => run.status === "running")) continue;
      const list = this.list(node);
      for (const [at, run] of list.entries()) {
        if (run.status !== "running") continue;
        const isToBlame = this.view.error?.node === node;
        list[at] = { ...run, status: isToBlame ? "error" : "canceled", error: isToBlame ? this.view.error : undefined };
      }
    }
  }
}

function number(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}
