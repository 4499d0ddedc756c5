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
import { doubted, isOver, quarantined, type RunView } from "./view";
import { useWakingAddress } from "./waitingAt";

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
        <Address key={`${address.method} ${address.url}`} {...address} label="Copy the test address" tone="run" />
      ))}
    </Line>
  );
}

interface AddressProps {
  method: string;
  url: string;
  label: string;
  tone: "run" | "wait";
}

function Address({ method, url, label, tone }: AddressProps) {
  return (
    <span className={css.address}>
      <Chip label={method || "ANY"} tone={tone} />
      <code>{url}</code>
      <CopyButton text={url} label={label} />
    </span>
  );
}

function Sleeping({ run }: { run: RunView }) {
  const { node, untilMs, execution } = run.waiting ?? { node: "", untilMs: null, execution: null };
  const now = useNow(untilMs !== null, 1000);
  const address = useWakingAddress(run);
  const what = execution
    ? `waits for execution ${execution}`
    : untilMs === null
      ? "waits for a call"
      : `goes on ${relativeTime(new Date(untilMs), new Date(now))}${address ? " or when it is called" : ""}`;
  return (
    <Line icon={<Clock size={15} aria-hidden />} tone="wait">
      <span>
        {node} {what}
        {address ? ":" : "."}
      </span>
      {address && <Address {...address} label="Copy the address that wakes it" tone="wait" />}
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
  const reason = quarantined(run);
  return (
    <Line icon={<CircleHelp size={15} aria-hidden />} tone="wait">
      {reason ? (
        <span>
          {reason}{" "}
          {node && (
            <>
              <b>{node}</b> may have happened.{" "}
            </>
          )}
          Look at what it does, then decide.
        </span>
      ) : (
        <span>
          {node ? <b>{node}</b> : "A step"} was cut off and may have happened. Look at the service it talks to, then decide.
        </span>
      )}
      <span className={css.actions}>
        <DecideButtons
          size="small"
          id={run.executionId}
          events={run.events}
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
