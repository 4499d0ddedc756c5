// Follows a stream of server-sent events, and takes it up again where it broke off. The browser's own EventSource gives up for good
// on the first refusal, such as a server that is just being restarted; a run that is being watched must survive that.

import { isNormalizedPath } from "../api/url";
import type { RunEvent } from "./runView";

export interface Subscription {
  /** Ends it; nothing is told afterwards. */
  stop(): void;
}

export interface FollowOptions {
  /** Below the origin, such as `/api/v1/executions/7/events`. */
  path: string;
  /** Called with everything that came since the last time. */
  onEvents(events: RunEvent[]): void;
  /** The server has ended the stream and there is no more to come. */
  onEnd?(): void;
  /** It cannot be followed at all: it is not there, or not for these eyes. */
  onRefused?(status: number): void;
  onConnection?(state: "open" | "lost"): void;
  /** The line is back after it was lost. What nobody tells, such as how a crash left things, is to be asked for. */
  onReturn?(): void;
  /** Whether the stream is over with this event. Without it the stream is followed until it is stopped. */
  endsWith?(event: RunEvent): boolean;
}

const MIN_RETRY_MS = 300;
const MAX_RETRY_MS = 3_000;

/** The server says something every 15 seconds. A line that is silent for longer is dead, although nobody has said so. */
const MAX_SILENCE_MS = 45_000;

export function followEvents(options: FollowOptions): Subscription {
  const aborter = new AbortController();
  void readLoop(options, aborter.signal);
  return { stop: () => aborter.abort() };
}

async function readLoop(options: FollowOptions, signal: AbortSignal): Promise<void> {
  let lastId = "";
  let wait = MIN_RETRY_MS;
  let wasLost = false;
  const batch = new FrameBatch(options.onEvents, signal);
  if (!isNormalizedPath(options.path)) return options.onRefused?.(400);
  while (!signal.aborted) {
    const line = new StreamConnection(signal);
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (lastId) headers["Last-Event-ID"] = lastId;
      const response = await fetch(options.path, {
        headers,
        signal: line.signal,
        credentials: "same-origin",
      });
      if (isFinal(response.status)) return options.onRefused?.(response.status);
      if (!response.ok || !response.body)
        throw new Error(`The event stream returned ${response.status}`);
      options.onConnection?.("open");
      if (wasLost) options.onReturn?.();
      const parser = new EventParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        line.isAlive();
        wait = MIN_RETRY_MS;
        for (const { id, event } of parser.push(value)) {
          if (id) lastId = id;
          batch.add(event);
          if (options.endsWith?.(event)) {
            batch.flush();
            cancelReader(reader);
            return options.onEnd?.();
          }
        }
      }
    } catch {
      // A broken line is no news: the loop tries again until it is told to stop.
    } finally {
      line.close();
    }
    if (signal.aborted) return;
    options.onConnection?.("lost");
    wasLost = true;
    await sleep(wait, signal);
    wait = Math.min(MAX_RETRY_MS, wait * 2);
  }
}

/** No later try would be answered otherwise. */
function isFinal(status: number): boolean {
  return status === 400 || status === 401 || status === 403 || status === 404;
}

function cancelReader(reader: ReadableStreamDefaultReader<string>): void {
  reader.cancel().catch(() => undefined);
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** One request, which is given up when nothing has come for too long. */
class StreamConnection {
  private readonly silence = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  readonly signal: AbortSignal;

  constructor(stopped: AbortSignal) {
    this.signal = AbortSignal.any([stopped, this.silence.signal]);
    this.isAlive();
  }

  isAlive(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.silence.abort(), MAX_SILENCE_MS);
  }

  close(): void {
    clearTimeout(this.timer);
  }
}

/** Hands on what came once a frame, so that a fast run costs no more renders than the screen can show. */
class FrameBatch {
  private events: RunEvent[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly tell: (events: RunEvent[]) => void,
    private readonly signal: AbortSignal,
  ) {}

  add(event: RunEvent): void {
    this.events.push(event);
    // A timer and no animation frame: a tab in the background gets none, and its run goes on all the same.
    this.timer ??= setTimeout(() => this.flush(), 16);
  }

  flush(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const events = this.events;
    this.events = [];
    if (events.length > 0 && !this.signal.aborted) this.tell(events);
  }
}

/** Reads the text of an event stream, which may be cut anywhere. */
export class EventParser {
  private rest = "";
  private id = "";
  private type = "";
  private data: string[] = [];

  push(text: string): { id: string; event: RunEvent }[] {
    const found: { id: string; event: RunEvent }[] = [];
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        const event = this.takeEvent();
        if (event) found.push(event);
      } else if (!line.startsWith(":")) this.field(line);
    }
    return found;
  }

  private field(line: string): void {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.type = value;
    else if (name === "data") this.data.push(value);
    else if (name === "id") this.id = value;
  }

  private takeEvent(): { id: string; event: RunEvent } | null {
    const { id, type, data } = this;
    this.id = "";
    this.type = "";
    this.data = [];
    if (data.length === 0) return null;
    let read: unknown;
    try {
      read = JSON.parse(data.join("\n"));
    } catch {
      read = data.join("\n");
    }
    const fields =
      typeof read === "object" && read !== null
        ? (read as Record<string, unknown>)
        : { value: read };
    // A newer server may send events that are not known here; they are left out where events are read.
    return { id, event: { type: type || "message", data: fields } as RunEvent };
  }
}
