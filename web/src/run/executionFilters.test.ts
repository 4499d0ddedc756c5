import { describe, expect, it } from "vitest";
import type { Execution } from "../api/types";
import { readFilters, toQuery, withFilter } from "./executionFilters";
import { applyEvent } from "./liveUpdates";
import type { RunEvent } from "./runView";

const NOW = Date.parse("2026-01-02T12:00:30.000Z");

describe("the filters", () => {
  it("are read from the address, without values that cannot be", () => {
    expect(
      readFilters(new URLSearchParams("status=error&workflow=w1&since=24h&mode=magic")),
    ).toEqual({
      status: "error",
      workflow: "w1",
      since: "24h",
      mode: undefined,
    });
  });

  it("leave the rest of the address alone", () => {
    const params = withFilter(new URLSearchParams("status=error&x=1"), "status", undefined);
    expect(params.toString()).toBe("x=1");
    expect(withFilter(params, "mode", "webhook").toString()).toBe("x=1&mode=webhook");
  });

  it("ask the server for whole minutes, so that the same page asks the same", () => {
    expect(toQuery({ since: "1h", status: "error" }, NOW)).toEqual({
      status: "error",
      workflowId: undefined,
      mode: undefined,
      startedAfter: "2026-01-02T11:00:00.000Z",
    });
  });
});

describe("the list while runs go on", () => {
  const row = {
    id: "1",
    workflowId: "w",
    status: "running",
    mode: "manual",
    startedAt: new Date(NOW).toISOString(),
  } as Execution;
  const began: RunEvent = {
    type: "executionStarted",
    data: { executionId: "2", workflowId: "w", mode: "webhook", startedMs: NOW },
  };

  it("gets a new run on top, if it fits the filters", () => {
    expect(applyEvent([row], began, {}, NOW).map((one) => one.id)).toEqual(["2", "1"]);
    expect(applyEvent([row], began, { mode: "manual" }, NOW).map((one) => one.id)).toEqual(["1"]);
  });

  it("shows how a run ends and when", () => {
    const [ended] = applyEvent(
      [row],
      {
        type: "executionFinished",
        data: { executionId: "1", status: "error", finishedMs: NOW + 5 },
      },
      {},
      NOW,
    );
    expect(ended).toMatchObject({
      status: "error",
      finished: false,
      stoppedAt: new Date(NOW + 5).toISOString(),
    });
  });

  it("stays the same list when nothing changes", () => {
    const rows = [row];
    expect(applyEvent(rows, { type: "nodeStarted", data: { executionId: "1" } }, {}, NOW)).toBe(
      rows,
    );
    expect(
      applyEvent(rows, { type: "executionFinished", data: { executionId: "9" } }, {}, NOW),
    ).toBe(rows);
  });
});
