import { expect, it, vi } from "vitest";
import { EventParser, followEvents } from "./eventStream";
import type { RunEvent } from "./runView";

it("reads events wherever the text is cut", () => {
  const text =
    ': hello\n\nid: 7:1\nevent: nodeStarted\ndata: {"node":"A"}\n\nid: 7:2\nevent: missed\ndata: 3\n\n';
  for (let cut = 0; cut <= text.length; cut++) {
    const parser = new EventParser();
    const found = [...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut))];
    expect(found).toEqual([
      { id: "7:1", event: { type: "nodeStarted", data: { node: "A" } } },
      { id: "7:2", event: { type: "missed", data: { value: 3 } } },
    ]);
  }
});

it("joins the lines of one event and takes the other line ends", () => {
  expect(new EventParser().push('event: a\r\ndata: {"x":\r\ndata: 1}\r\n\r\n')).toEqual([
    { id: "", event: { type: "a", data: { x: 1 } } },
  ]);
});

it("takes a stream up again behind the last event it has", async () => {
  vi.useFakeTimers();
  const asked: (string | null)[] = [];
  const answers = [
    'id: 7:1\nevent: nodeStarted\ndata: {"node":"A"}\n\n',
    'id: 7:2\nevent: executionFinished\ndata: {"status":"success"}\n\n',
  ];
  vi.stubGlobal("fetch", async (_path: string, init: { headers: Record<string, string> }) => {
    asked.push(init.headers["Last-Event-ID"] ?? null);
    return new Response(answers[asked.length - 1]);
  });
  const events: RunEvent[] = [];
  const ended = new Promise<void>((onEnd) => {
    const onEvents = (batch: RunEvent[]) => void events.push(...batch);
    followEvents({
      path: "/events",
      onEvents,
      onEnd,
      endsWith: (event) => event.type === "executionFinished",
    });
  });
  await vi.advanceTimersByTimeAsync(2000);
  await ended;
  expect(asked).toEqual([null, "7:1"]);
  expect(events.map((event) => event.type)).toEqual(["nodeStarted", "executionFinished"]);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("takes a stream up again that has fallen silent", async () => {
  vi.useFakeTimers();
  let asked = 0;
  vi.stubGlobal("fetch", async (_path: string, { signal }: { signal: AbortSignal }) => {
    asked += 1;
    if (asked === 2) return new Response("event: executionFinished\ndata: {}\n\n");
    const silent = new ReadableStream({
      start: (body) => signal.addEventListener("abort", () => body.error(signal.reason)),
    });
    return new Response(silent);
  });
  const ended = new Promise<void>((onEnd) => {
    followEvents({
      path: "/events",
      onEvents: () => undefined,
      onEnd,
      endsWith: (event) => event.type === "executionFinished",
    });
  });
  await vi.advanceTimersByTimeAsync(40_000);
  expect(asked).toBe(1);
  await vi.advanceTimersByTimeAsync(10_000);
  await ended;
  expect(asked).toBe(2);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("does not ask again for what is not there", async () => {
  vi.stubGlobal("fetch", async () => new Response("{}", { status: 404 }));
  const status = await new Promise<number>((onRefused) =>
    followEvents({ path: "/events", onEvents: () => undefined, onRefused }),
  );
  expect(status).toBe(404);
  vi.unstubAllGlobals();
});

it("issue_14_00_no_id_leads_a_stream_elsewhere", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (url: string) => {
    asked.push(url);
    return new Response("{}", { status: 200 });
  });
  const refused = await new Promise((resolve) => {
    followEvents({
      path: "/api/v1/executions/../../../webhook/evil/events",
      onEvents: () => {},
      onRefused: resolve,
    });
  });
  expect(refused).toBe(400);
  expect(asked).toEqual([]);
  vi.unstubAllGlobals();
});
