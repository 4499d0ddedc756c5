import { describe, expect, it } from "vitest";
import type { ExecutionOutline } from "../api/generated";
import { carryOverResults } from "./mergeRunViews";
import { fromOutline } from "./outline";
import { reduceEvent, reduceEvents } from "./runReducer";
import {
  elapsed,
  emptyView,
  isOver,
  itemsCarried,
  lastRun,
  listeningView,
  type RunEvent,
  uncertainStep,
} from "./runView";

const started = (node: string, run = 0, startedMs = Date.now() + 1000): RunEvent => ({
  type: "nodeStarted",
  data: { node, run, startedMs },
});
const finished = (node: string, more: Record<string, unknown> = {}): RunEvent => ({
  type: "nodeFinished",
  data: { node, run: 0, status: "success", durationMs: 5, items: [2], ...more },
});

describe("a live run", () => {
  it("shows a node as running and then with its items", () => {
    const running = reduceEvent(emptyView("7"), started("Set"));
    expect(lastRun(running, "Set")?.status).toBe("running");
    const done = reduceEvent(running, finished("Set"));
    expect(lastRun(done, "Set")).toMatchObject({
      status: "success",
      durationMs: 5,
      outputs: [{ kind: "main", index: 0, items: 2 }],
    });
    expect(lastRun(running, "Set")?.status, "the earlier view stays as it was").toBe("running");
  });

  it("shows nothing on the line behind a node that waits", () => {
    const edge = { from: "Wait", to: "Next", kind: "main", output: 0, input: 0 };
    const done = reduceEvents(emptyView("7"), [started("Wait"), finished("Wait")]);
    expect(itemsCarried(done, edge)).toBe(2);
    const [run] = done.nodes.get("Wait") ?? [];
    const waiting = {
      ...done,
      nodes: new Map([["Wait", run ? [{ ...run, status: "waiting" as const }] : []]]),
    };
    expect(itemsCarried(waiting, edge)).toBeNull();
  });

  it("keeps one record for each turn of a loop", () => {
    const view = reduceEvents(emptyView("7"), [
      started("Loop", 0),
      finished("Loop"),
      started("Loop", 1),
      finished("Loop", { run: 1 }),
    ]);
    expect(view.nodes.get("Loop")?.map((run) => run.runIndex)).toEqual([0, 1]);
    expect(view.nodes.get("Loop")?.map((run) => run.order)).toEqual([0, 1]);
  });

  it("begins a step again in its own place after a crash", () => {
    const view = reduceEvents(emptyView("7"), [started("A"), started("B"), started("A", 0, 2000)]);
    expect(view.nodes.get("A")).toHaveLength(1);
    expect(lastRun(view, "A")).toMatchObject({ order: 0, startedMs: 2000 });
  });

  it("leaves no record of a node that had nothing to say", () => {
    const view = reduceEvents(emptyView("7"), [
      started("If"),
      { type: "nodeSilent", data: { node: "If" } },
    ]);
    expect(view.nodes.has("If")).toBe(false);
  });

  it("hangs what a model did under the agent it served", () => {
    const served = {
      node: "Model",
      kind: "ai_languageModel",
      serves: "Agent",
      status: "success",
      durationMs: 40,
    };
    const view = reduceEvents(emptyView("7"), [
      started("Agent"),
      { type: "nodeServed", data: served },
      { type: "nodeServed", data: served },
    ]);
    expect(view.nodes.get("Model")?.map((run) => run.served)).toEqual([
      { kind: "ai_languageModel", above: "Agent" },
      { kind: "ai_languageModel", above: "Agent" },
    ]);
  });

  it("adds up what the calls of a model cost", () => {
    const used = {
      node: "Model",
      provider: "x",
      model: "m",
      inputTokens: 10,
      cachedTokens: 0,
      outputTokens: 3,
      dollars: 0.5,
    };
    const view = reduceEvents(emptyView("7"), [
      { type: "modelUsed", data: used },
      { type: "modelUsed", data: { ...used, dollars: null } },
    ]);
    expect(view.spent).toEqual([{ ...used, inputTokens: 20, outputTokens: 6, calls: 2 }]);
  });

  it("waits and wakes", () => {
    const waiting = reduceEvents(emptyView("7"), [
      started("Wait"),
      { type: "executionWaiting", data: { node: "Wait", untilMs: 5000 } },
    ]);
    expect(waiting.status).toBe("waiting");
    expect(waiting.waiting).toEqual({ node: "Wait", untilMs: 5000, execution: null, asks: false });
    expect(lastRun(waiting, "Wait")?.status).toBe("waiting");
    const awake = reduceEvent(waiting, { type: "executionResumed", data: {} });
    expect([awake.status, awake.waiting]).toEqual(["running", undefined]);
  });

  it("puts the error of a run on the node that had it, and lets go of the others", () => {
    const error = { code: "UPSTREAM_STATUS", message: "The service answered 500", node: "HTTP" };
    const view = reduceEvents(emptyView("7", "w", 1000), [
      started("HTTP"),
      started("Other"),
      { type: "executionFinished", data: { status: "error", finishedMs: 4000, error } },
    ]);
    expect(view.error?.code).toBe("UPSTREAM_STATUS");
    expect(lastRun(view, "HTTP")).toMatchObject({ status: "error", error });
    expect(lastRun(view, "Other")?.status).toBe("canceled");
    expect([isOver(view), elapsed(view, 9000)]).toEqual([true, 3000]);
  });

  it("shows a step that was stopped as stopped and not as failed", () => {
    const error = { code: "RUN_CANCELLED", message: "The run was cancelled", node: "Wait" };
    const view = reduceEvents(emptyView("7", "w", 1000), [
      started("Wait"),
      finished("Wait", { status: "error", items: [], error }),
      { type: "executionFinished", data: { status: "canceled", finishedMs: 4000, error } },
    ]);
    expect(lastRun(view, "Wait")).toMatchObject({ status: "canceled", error: undefined });
    expect([view.status, view.error]).toEqual(["canceled", undefined]);
  });

  it("knows results of an earlier run by their time", () => {
    const view = reduceEvents(emptyView("7", "w", 1000), [
      started("Set", 0, 400),
      finished("Set"),
      started("Next", 0, 1001),
      finished("Next"),
    ]);
    expect([lastRun(view, "Set")?.status, lastRun(view, "Next")?.status]).toEqual([
      "reused",
      "success",
    ]);
  });

  it("does not stumble over events of a newer server", () => {
    const view = emptyView("7");
    const unknown = { type: "nodeDreamt", data: { node: "A" } } as unknown as RunEvent;
    expect(reduceEvent(view, unknown).nodes.size).toBe(0);
    expect(reduceEvents(view, [])).toBe(view);
  });

  it("stops listening once the call has come", () => {
    const listening = listeningView("w", [{ method: "POST", url: "http://x/webhook-test/a" }]);
    expect([listening.status, isOver(listening)]).toEqual(["listening", false]);
    const begun = reduceEvent(listening, {
      type: "executionStarted",
      data: { executionId: "8", workflowId: "w", startedMs: 3 },
    });
    expect(begun).toMatchObject({ status: "running", executionId: "8", listening: undefined });
  });

  it("forgets what it took over from an earlier run once the node runs again", () => {
    const served = {
      node: "Model",
      kind: "ai_languageModel",
      serves: "Agent",
      status: "success",
      durationMs: 40,
    };
    const before = reduceEvents(emptyView("7"), [
      started("Agent"),
      { type: "nodeServed", data: served },
      finished("Agent"),
    ]);
    const carried = carryOverResults({ ...before, status: "success" }) ?? before;
    expect(carried.nodes.get("Model")?.[0]?.status).toBe("reused");
    const again = reduceEvents(carried, [
      started("Agent", 0, 9000),
      { type: "nodeServed", data: served },
    ]);
    expect(again.nodes.get("Agent")).toHaveLength(1);
    expect(again.nodes.get("Model")?.map((run) => run.status)).toEqual(["success"]);
  });

  it("keeps up with a loop of ten thousand turns", () => {
    const events = Array.from({ length: 10_000 }, (_, run) => [
      started("Loop", run),
      finished("Loop", { run }),
    ]).flat();
    const view = reduceEvents(emptyView("7"), events);
    expect(view.nodes.get("Loop")).toHaveLength(10_000);
    expect(lastRun(view, "Loop")).toMatchObject({ runIndex: 9999, status: "success" });
  });

  it("keeps the last lines of a node that logs without end", () => {
    const lines = Array.from(
      { length: 1200 },
      (_, at): RunEvent => ({ type: "nodeLog", data: { node: "Code", line: `line ${at}` } }),
    );
    const kept = lastRun(reduceEvents(emptyView("7"), [started("Code"), ...lines]), "Code")?.lines;
    expect(kept).toHaveLength(1000);
    expect(kept?.at(-1)).toBe("line 1199");
  });

  it("sleeps until it is woken, although its stream ends in between", () => {
    const asleep = reduceEvents(emptyView("7"), [
      started("Wait"),
      { type: "executionWaiting", data: { node: "Wait" } },
      { type: "executionFinished", data: { status: "waiting", finishedMs: 5 } },
    ]);
    expect(asleep.status).toBe("waiting");
    expect(asleep.waiting?.node).toBe("Wait");
    expect(asleep.finishedAt).toBeNull();
    const awake = reduceEvent(asleep, { type: "executionResumed", data: {} });
    expect(awake.status).toBe("running");
    expect(lastRun(awake, "Wait")?.status).toBe("running");
  });

  it("gathers an agent's words", () => {
    const metadata = { nodeId: "1", nodeName: "Agent", itemIndex: 0, runIndex: 0, timestamp: 1 };
    const chunk = (type: string, content?: unknown): RunEvent => ({
      type: "agent",
      data: { type, content, metadata },
    });
    const view = reduceEvents(emptyView("7"), [
      chunk("begin"),
      chunk("item", "Hel"),
      chunk("item", "lo"),
    ]);
    expect(view.answers.get("Agent")?.parts).toEqual([{ kind: "text", text: "Hello" }]);
  });
});

describe("a stored run", () => {
  const outline: ExecutionOutline = {
    id: "42",
    status: "error",
    mode: "webhook",
    startedAt: "2026-01-01T00:00:00.000Z",
    stoppedAt: "2026-01-01T00:00:03.200Z",
    finished: false,
    retryOf: null,
    retrySuccessId: null,
    waitTill: null,
    parentExecutionId: null,
    waitsForExecutionId: null,
    customData: {},
    workflowId: "w",
    events: 9,
    error: { code: "NODE_FAILED", message: "no" },
    nodes: {
      B: [
        {
          runIndex: 0,
          startTime: 20,
          executionTime: 3,
          status: "error",
          source: [{ previousNode: "A" }],
          outputs: [],
          error: { message: "no" },
        },
      ],
      A: [
        {
          runIndex: 0,
          startTime: 10,
          executionTime: 2,
          status: "success",
          reused: "41",
          outputs: [{ kind: "main", index: 0, items: 4 }],
        },
      ],
      Model: [
        {
          runIndex: 0,
          startTime: 21,
          executionTime: 1,
          status: "success",
          source: [{ previousNode: "B" }],
          outputs: [{ kind: "ai_languageModel", index: 0, items: 1 }],
          served: { kind: "ai_languageModel", node: "B", run: 0 },
        },
      ],
    },
    models: [],
  };

  it("has its steps in the order they happened", () => {
    const view = fromOutline(outline);
    const names = [...view.nodes]
      .sort((a, b) => (a[1][0]?.order ?? 0) - (b[1][0]?.order ?? 0))
      .map(([name]) => name);
    expect(names).toEqual(["A", "B", "Model"]);
    expect(elapsed(view, 0)).toBe(3200);
  });

  it("has no step that waits once the run has gone on or was stopped", () => {
    const nodes = { Wait: [{ runIndex: 0, startTime: 10, status: "waiting", outputs: [] }] };
    const statusIn = (status: string) =>
      lastRun(fromOutline({ ...outline, status, nodes } as ExecutionOutline), "Wait")?.status;
    expect(["waiting", "success", "canceled"].map(statusIn)).toEqual([
      "waiting",
      "success",
      "canceled",
    ]);
  });

  it("tells reused results from new ones, and what served from what ran", () => {
    const view = fromOutline(outline);
    expect(lastRun(view, "A")?.status).toBe("reused");
    expect(lastRun(view, "B")?.source).toEqual([{ node: "A", output: 0, run: 0 }]);
    expect(lastRun(view, "Model")?.served).toEqual({
      kind: "ai_languageModel",
      above: "B",
      run: 0,
    });
    expect(lastRun(view, "B")?.error?.message).toBe("no");
  });

  it("names the step that a crash left in doubt", () => {
    const nodes = {
      ...outline.nodes,
      B: [{ runIndex: 0, startTime: 20, status: "running" as const }],
    };
    const view = fromOutline({ ...outline, status: "uncertain", error: undefined, nodes });
    expect(lastRun(view, "B")?.status).toBe("uncertain");
    expect(uncertainStep(view)).toBe("B");
  });
});
