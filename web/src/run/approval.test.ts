import { describe, expect, it } from "vitest";
import { addChunk } from "./answer";
import { fromEvent, mergeApproval, pendingApprovals } from "./approval";
import { reduceEvents } from "./runReducer";
import { emptyView, type RunEvent } from "./runView";

const told = {
  executionId: "12",
  node: "Agent",
  call: "item 0: tool 1.1",
  tool: "Send_mail",
  arguments: { to: "ada" },
  digest: "9f",
};

describe("a call that asks for approval", () => {
  it("waits until it is decided or its time is over", () => {
    const asked = fromEvent({ ...told, untilMs: 100 }, "", "");
    if (!asked) throw new Error("It was not read");
    expect(pendingApprovals([asked], 50)).toHaveLength(1);
    expect(pendingApprovals([asked], 101)).toHaveLength(0);
    const decided = mergeApproval([asked], { ...asked, decision: "rejected", reason: "no" });
    expect(decided).toHaveLength(1);
    expect(pendingApprovals(decided, 50)).toHaveLength(0);
  });

  it("is not shown to whoever is not told which call it is", () => {
    expect(fromEvent({ id: "c1", name: "Send_mail", untilMs: 5 }, "12", "Agent")).toBeNull();
  });

  it("is heard in a run's events, first open and then decided", () => {
    const event = (more: object): RunEvent => ({ type: "approval", data: { ...told, ...more } });
    const waiting: RunEvent = {
      type: "executionWaiting",
      data: { node: "Agent", untilMs: 100, asks: true },
    };
    const view = reduceEvents(emptyView("12"), [event({ decision: null }), waiting]);
    expect(view.approvals.map((one) => one.tool)).toEqual(["Send_mail"]);
    expect(view.waiting?.asks).toBe(true);
    const after = reduceEvents(view, [event({ decision: "approved", by: "ada@example.com" })]);
    expect(after.approvals[0]?.decision).toBe("approved");
  });

  it("issue_14_00_belongs_to_the_run_whose_stream_tells_it", () => {
    const begun: RunEvent = {
      type: "executionStarted",
      data: { executionId: "../../../webhook/evil" },
    };
    const view = reduceEvents(emptyView("12"), [
      begun,
      { type: "approval", data: { ...told, executionId: "../../../webhook/evil" } },
    ]);
    expect(view.executionId).toBe("12");
    expect(view.approvals[0]?.executionId).toBe("12");
  });

  it("stands in an answer where the tool will stand", () => {
    const asks = addChunk(undefined, {
      type: "approval",
      content: { id: "c1", name: "Send_mail", ...told },
    });
    expect(asks.parts).toMatchObject([
      { kind: "tool", name: "Send_mail", isRunning: true, asked: { call: told.call } },
    ]);
    const began = addChunk(asks, {
      type: "tool-start",
      content: { id: "c1", name: "Send_mail", arguments: told.arguments },
    });
    expect(began.parts).toHaveLength(1);
    const ended = addChunk(began, { type: "tool-end", content: { id: "c1", result: "sent" } });
    expect(ended.parts).toMatchObject([{ isRunning: false, result: "sent" }]);
  });
});
