import { describe, expect, it } from "vitest";
import type { AnswerSource, TraceEvent } from "../api/generated";
import {
  type AgentReport,
  buildTimeline,
  type Iteration,
  listConfidences,
  reportParts,
  sparklinePath,
  sumTotals,
} from "./agentReport";
import { describeSources } from "./answerSources";
import { parseReport } from "./parseReport";
import { summarizeStages } from "./stages";

function iteration(index: number, startedMs: number, more: Partial<Iteration> = {}): Iteration {
  const tokens = { input: 10, cached: 2, output: 5, reasoning: 0 };
  return {
    at: index - 1,
    index,
    item: 0,
    model: "m",
    startedMs,
    durationMs: 100,
    toolCalls: [],
    tokens,
    dollars: null,
    ...more,
  };
}

function report(iterations: Iteration[], more: Partial<AgentReport> = {}): AgentReport {
  return { iterations, memory: [], output: "", sources: [], errors: [], ...more };
}

const call = (name: string, result: unknown, durationMs = 20) => ({
  name,
  id: name,
  arguments: {},
  result,
  isError: false,
  durationMs,
});

describe("the timeline", () => {
  it("puts tools behind their model, side by side, and shows what was waited for between", () => {
    const { rows, totalMs } = buildTimeline(
      report([
        iteration(1, 1000, { toolCalls: [call("a", 1), call("b", 2, 50)] }),
        iteration(2, 1400),
      ]),
    );
    expect(rows[0]?.bars.map((bar) => [bar.kind, bar.startMs, bar.lane])).toEqual([
      ["model", 1000, 0],
      ["tool", 1100, 0],
      ["tool", 1100, 1],
    ]);
    expect(rows[0]?.lanes).toBe(2);
    expect(rows[1]?.bars.map((bar) => [bar.kind, bar.startMs, bar.durationMs])).toEqual([
      ["waiting", 1150, 250],
      ["model", 1400, 100],
    ]);
    expect(totalMs).toBe(500);
  });

  it("has rows for memory before and after", () => {
    const memory = [
      { op: "loadMemoryVariables", durationMs: 30 },
      { op: "saveContext", durationMs: 5 },
    ];
    const { rows, startMs } = buildTimeline(report([iteration(1, 1000)], { memory }));
    expect(rows.map((row) => row.label)).toEqual(["Memory read", "Iteration 1", "Memory written"]);
    expect(startMs).toBe(970);
  });

  it("adds up tokens, and says nothing about money where no price is known", () => {
    expect(sumTotals(report([iteration(1, 0), iteration(2, 0)]))).toMatchObject({
      input: 20,
      output: 10,
      dollars: null,
    });
    expect(sumTotals(report([iteration(1, 0, { dollars: 0.5 }), iteration(2, 0)])).dollars).toBe(
      0.5,
    );
  });

  it("survives an agent that never asked its model", () => {
    expect(buildTimeline(report([])).rows).toEqual([]);
    expect(sparklinePath([], 10, 10)).toBe("");
  });

  it("draws confidence", () => {
    expect(
      listConfidences(report([iteration(1, 0, { confidence: 0.4 }), iteration(2, 0)])),
    ).toEqual([{ iteration: 1, value: 0.4 }]);
    expect(sparklinePath([0, 1], 10, 20)).toBe("M0 20 L10 0");
    expect(sparklinePath([0.5], 10, 20)).toBe("M0 10 L10 10");
  });
});

it("can be told as a conversation", () => {
  const told = reportParts(
    report([
      iteration(1, 0, { message: "Let me see.", toolCalls: [call("a", 1)] }),
      iteration(2, 0, { message: "It is 1." }),
    ]),
  );
  expect(told.map((part) => (part.kind === "text" ? part.text : part.name))).toEqual([
    "Let me see.",
    "a",
    "It is 1.",
  ]);
});

describe("the sources of an answer", () => {
  const told = (sources: AnswerSource[]) =>
    describeSources(report([iteration(1, 0, { toolCalls: [call("search", "x")] })], { sources }));

  it("are named by title, page and server, and lead to the call that brought them", () => {
    const at = { item: 0, tool: "search", callId: "search", iteration: 1 };
    const found = told([
      { type: "document", title: "terms.pdf", page: 2, isQuoted: true, ...at },
      { type: "document", text: "A long sentence that goes on and on for ever and ever", ...at },
      { type: "mcp", server: "tickets", ...at },
      { type: "memory", id: "e1", item: 0 },
    ]);
    expect(found.map(({ label }) => label)).toEqual([
      "terms.pdf, page 2",
      "A long sentence that goes on and on for…",
      "search (tickets)",
      "Memory entry",
    ]);
    expect(found[0]).toMatchObject({ iteration: 0, number: 1, call: 0, isQuoted: true });
    expect(found[3]).not.toHaveProperty("iteration");
  });

  it("lead nowhere where the call is not in the report", () => {
    const [source] = told([{ type: "tool", tool: "t", callId: "gone", iteration: 7, item: 0 }]);
    expect(source).not.toHaveProperty("call");
  });
});

describe("the stages of an agent", () => {
  const event = (stage: TraceEvent["stage"], more: Partial<TraceEvent> = {}): TraceEvent => ({
    id: "1:1",
    executionId: "1",
    stage,
    kind: "tool_call",
    node: "Agent",
    run: 0,
    detail: {},
    ...more,
  });

  it("are counted for its own run, also those with nothing to do", () => {
    const stages = summarizeStages(
      [
        event("plan", { durationMs: 5 }),
        event("plan", { durationMs: 7 }),
        event("act", { detail: { isError: true } }),
        event("act", { node: "Other" }),
        event("output", { run: 1 }),
      ],
      "Agent",
      0,
    );
    expect(stages.map(({ stage, count }) => [stage, count])).toEqual([
      ["preprocess", 0],
      ["retrieve", 0],
      ["plan", 2],
      ["act", 1],
      ["integrate", 0],
      ["update", 0],
      ["output", 0],
    ]);
    expect(stages[2]?.durationMs).toBe(12);
    expect(stages[3]?.isFailed).toBe(true);
  });
});

describe("a report as the server tells it", () => {
  it("is whole where the server leaves out what is not known yet", () => {
    const told = parseReport({
      iterations: [{ index: 1, toolCalls: [{ id: "c", name: "slow", arguments: {} }], tokens: {} }],
      errors: [{ message: "x", iteration: 0 }],
    });
    expect(told.iterations[0]).toMatchObject({
      at: 0,
      item: 0,
      tokens: { input: 0 },
      dollars: null,
      durationMs: 0,
    });
    expect("result" in (told.iterations[0]?.toolCalls[0] ?? {})).toBe(false);
    expect(told.errors).toEqual([{ code: "", message: "x", iteration: null }]);
    expect(parseReport(null).iterations).toEqual([]);
  });

  it("places an answer without a record of its own behind the one before", () => {
    const told = parseReport({
      startedMs: 50,
      iterations: [{ durationMs: 10, startedMs: 100 }, { durationMs: 5 }],
    });
    expect(told.iterations.map((one) => one.startedMs)).toEqual([100, 110]);
  });

  it("tells iterations of several items apart", () => {
    const told = parseReport({
      iterations: [
        { index: 1, item: 0 },
        { index: 1, item: 1 },
      ],
    });
    expect(buildTimeline(told).rows.map((row) => row.label)).toEqual(["Item 0 · 1", "Item 1 · 1"]);
  });
});
