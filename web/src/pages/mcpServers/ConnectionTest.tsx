/** Connects to a server on request: how long that takes so far, what it found, or why it failed. */

import { CircleAlert, CircleCheck, LoaderCircle } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { McpConnectionInput } from "../../api/generated";
import { ErrorCode } from "../../run/ErrorCode";
import { useNow } from "../../run/useNow";
import layout from "../../shared/layout.module.css";
import { Button, cx, duration, ErrorState, plural } from "../../ui";
import styles from "./McpServers.module.css";
import { type McpConnectionTest, testServer } from "./mcpApi";
import { revealHidden } from "./toolDefinition";

type State =
  | { at: "idle" }
  | { at: "running"; since: number }
  | { at: "done"; tested: McpConnectionTest; ms: number }
  | { at: "failed"; error: unknown };

/** The test of a server, and how it goes. Leaving the page ends it. */
export function useConnectionTest() {
  const [state, setState] = useState<State>({ at: "idle" });
  const running = useRef<AbortController | null>(null);
  useEffect(() => {
    return () => running.current?.abort();
  }, []);
  const start = async (target: McpConnectionInput) => {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    const since = Date.now();
    setState({ at: "running", since });
    try {
      const tested = await testServer(target, abort.signal);
      setState({ at: "done", tested, ms: Date.now() - since });
    } catch (error) {
      if (!abort.signal.aborted) setState({ at: "failed", error });
    }
  };
  const cancel = () => {
    running.current?.abort();
    setState({ at: "idle" });
  };
  const hasFailed = state.at === "done" && !state.tested.ok;
  return { state, start, cancel, isRunning: state.at === "running", hasFailed };
}

export function ConnectionResult({
  test: { state, cancel },
}: {
  test: ReturnType<typeof useConnectionTest>;
}) {
  const now = useNow(state.at === "running", 1000);
  if (state.at === "idle") return null;
  if (state.at === "failed") return <ErrorState error={state.error} />;
  if (state.at === "running") {
    const seconds = Math.max(0, Math.floor((now - state.since) / 1000));
    return (
      <div className={cx(layout.note, styles.test)} role="status">
        <LoaderCircle size={16} className={styles.spinner} aria-hidden />
        <span className={styles.told}>
          Connecting…{seconds > 0 && ` ${seconds} s`}
          {seconds >= 5 && ". Some servers download themselves on first start."}
        </span>
        <Button size="small" onClick={cancel}>
          Cancel
        </Button>
      </div>
    );
  }
  const { ok, error, name, version, protocolVersion, tools } = state.tested;
  if (!ok || error) {
    return (
      <div className={cx(layout.note, styles.test, styles.bad)} role="alert">
        <CircleAlert size={16} aria-hidden />
        <div className={styles.told}>
          <p>{error?.message ?? "The connection failed"}</p>
          {error?.hint && <p className={layout.faint}>{error.hint}</p>}
        </div>
        {error?.code && <ErrorCode code={error.code} />}
      </div>
    );
  }
  const open = tools.filter((tool) => tool.state !== "approved").length;
  return (
    <div className={cx(layout.note, layout.good, styles.test)} role="status">
      <CircleCheck size={16} aria-hidden />
      <span className={styles.told}>
        Connected to {revealHidden(name)} {revealHidden(version)} (protocol {protocolVersion}) in{" "}
        {duration(state.ms)}. {plural(tools.length, "tool")}
        {open > 0 && `, ${open} not approved`}.
      </span>
    </div>
  );
}
