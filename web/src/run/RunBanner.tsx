// A line above the drawer for what needs an eye or a hand: an address that waits for a call, a run that sleeps, one that nobody can
// say the end of, and a broken line to the server.

import { CircleHelp, Clock, PlugZap, ShieldQuestion, WifiOff } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useEditor } from "../editor/store";
import { Button, Chip, CopyButton, Dialog, plural, relativeTime } from "../ui";
import { ApprovalCard } from "./ApprovalCard";
import { openOnes } from "./approval";
import { DecideButtons } from "./DecideButtons";
import css from "./RunBanner.module.css";
import { openRun, useWatch, watchRun } from "./start";
import { useNow } from "./useNow";
import { doubted, isOver, type RunView } from "./view";

export function RunBanner() {
  const run = useEditor((state) => state.run);
  const isBehind = useWatch((state) => state.isBehind);
  return (
    <>
      {isBehind && (
        <Line icon={<WifiOff size={15} aria-hidden />} tone="wait">
          The line to Heddle is broken. It is tried again; the run itself goes on.
        </Line>
      )}
      {run?.status === "listening" && <Listening run={run} />}
      {run?.status === "waiting" && run.waiting && !run.waiting.asks && <Sleeping run={run} />}
      {run && !isOver(run) && run.approvals.length > 0 && <Asking run={run} />}
      {run?.status === "uncertain" && <Uncertain run={run} />}
    </>
  );
}

function Listening({ run }: { run: RunView }) {
  const addresses = run.listening ?? [];
  const until = addresses.find((address) => address.expiresAt)?.expiresAt;
  const now = useNow(true, 1000);
  const left = until ? Math.max(0, Math.round((Date.parse(until) - now) / 1000)) : null;
  return (
    <Line icon={<PlugZap size={15} aria-hidden />} tone="run">
      <span>Waiting for a call{left !== null && <span className={css.left}> · {left} s left</span>}</span>
      {addresses.map((address) => (
        <span key={`${address.method} ${address.url}`} className={css.address}>
          <Chip label={address.method || "ANY"} tone="run" />
          <code>{address.url}</code>
          <CopyButton text={address.url} label="Copy the test address" />
        </span>
      ))}
    </Line>
  );
}

function Sleeping({ run }: { run: RunView }) {
  const { node, untilMs, execution } = run.waiting ?? { node: "", untilMs: null, execution: null };
  const now = useNow(untilMs !== null, 1000);
  const what = execution
    ? `waits for execution ${execution}`
    : untilMs === null
      ? "waits for a call"
      : `goes on ${relativeTime(new Date(untilMs), new Date(now))}`;
  return (
    <Line icon={<Clock size={15} aria-hidden />} tone="wait">
      {node} {what}.
    </Line>
  );
}

/** An agent asks before it uses a tool: the exact calls are one click away, wherever in the editor one is. */
function Asking({ run }: { run: RunView }) {
  const [isOpen, setOpen] = useState(false);
  const open = openOnes(run.approvals, useNow(true, 1000));
  const [first] = open;
  if (!first && !isOpen) return null;
  return (
    <Line icon={<ShieldQuestion size={15} aria-hidden />} tone="wait">
      <span>
        {first && open.length === 1 ? (
          <>
            <b>{first.node}</b> asks to use <code>{first.tool}</code>.
          </>
        ) : (
          <>{plural(open.length, "call")} wait for approval.</>
        )}
      </span>
      <span className={css.actions}>
        <Button size="small" kind="primary" onClick={() => setOpen(true)}>
          Decide…
        </Button>
      </span>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title={`Execution ${run.executionId} asks for approval`}>
        {run.approvals.map((asked) => (
          <ApprovalCard key={`${asked.node} ${asked.call}`} asked={asked} onDecided={() => open.length <= 1 && setOpen(false)} />
        ))}
      </Dialog>
    </Line>
  );
}

/** A step may have happened although no result was kept. Only a person can say, so a person is asked. */
function Uncertain({ run }: { run: RunView }) {
  const node = doubted(run);
  return (
    <Line icon={<CircleHelp size={15} aria-hidden />} tone="wait">
      <span>
        {node ? <b>{node}</b> : "A step"} was cut off and may have happened. Look at the service it talks to, then decide.
      </span>
      <span className={css.actions}>
        <DecideButtons
          size="small"
          id={run.executionId}
          onTaken={(id) => watchRun(id, run.workflowId)}
          onGivenUp={() => void openRun(run.executionId)}
        />
      </span>
    </Line>
  );
}

function Line({ icon, tone, children }: { icon: ReactNode; tone: "run" | "wait"; children: ReactNode }) {
  return (
    <div className={css.line} data-tone={tone} role="status">
      {icon}
      {children}
    </div>
  );
}
