// A line above the drawer for what needs an eye or a hand: an address that waits for a call, a run that sleeps, one that nobody can
// say the end of, and a broken line to the server.

import { CircleHelp, Clock, ExternalLink, PlugZap, ShieldQuestion, WifiOff } from "lucide-react";
import { type ReactNode, useState } from "react";
import { ApprovalCard } from "../run/ApprovalCard";
import { pendingApprovals } from "../run/approval";
import { DecisionButtons } from "../run/DecisionButtons";
import { isOver, quarantineReason, type RunView, uncertainStep } from "../run/runView";
import { useNow } from "../run/useNow";
import { useEditor } from "../store/editorStore";
import { Button, Chip, CopyButton, Dialog, LinkButton, plural, relativeTime } from "../ui";
import css from "./RunBanner.module.css";
import { useResumeUrl } from "./resumeUrl";
import { followRun, showExecution, useRunWatch } from "./runControl";

export function RunBanner() {
  const run = useEditor((state) => state.run);
  const isBehind = useRunWatch((state) => state.isDisconnected);
  return (
    <>
      {isBehind && (
        <BannerRow icon={<WifiOff size={15} aria-hidden />} tone="wait">
          Connection lost. Reconnecting. The execution continues on the server.
        </BannerRow>
      )}
      {run?.status === "listening" && <ListeningBanner run={run} />}
      {run?.status === "waiting" && run.waiting && !run.waiting.asks && <WaitingBanner run={run} />}
      {run && !isOver(run) && run.approvals.length > 0 && <ApprovalBanner run={run} />}
      {run?.status === "uncertain" && <UncertainBanner run={run} />}
    </>
  );
}

function ListeningBanner({ run }: { run: RunView }) {
  const addresses = run.listening ?? [];
  const until = addresses.find((address) => address.expiresAt)?.expiresAt;
  const now = useNow(true, 1000);
  const left = until ? Math.max(0, Math.round((Date.parse(until) - now) / 1000)) : null;
  return (
    <BannerRow icon={<PlugZap size={15} aria-hidden />} tone="run">
      <span>
        Waiting for test event{left !== null && <span className={css.left}> · {left} s left</span>}
      </span>
      {addresses.map((address) => (
        <CallUrl
          key={`${address.method} ${address.url}`}
          {...address}
          label="Copy test URL"
          tone="run"
          isForm={address.kind === "form"}
        />
      ))}
    </BannerRow>
  );
}

interface CallUrlProps {
  method: string;
  url: string;
  label: string;
  tone: "run" | "wait";
  /** People fill it in, so it is opened rather than called. */
  isForm?: boolean;
}

function CallUrl({ method, url, label, tone, isForm }: CallUrlProps) {
  if (isForm)
    return (
      <span className={css.address}>
        <LinkButton href={url} icon={ExternalLink} kind="primary" size="small">
          Open form
        </LinkButton>
        <code>{url}</code>
        <CopyButton text={url} label={label} />
      </span>
    );
  return (
    <span className={css.address}>
      <Chip label={method || "ANY"} tone={tone} />
      <code>{url}</code>
      <CopyButton text={url} label={label} />
    </span>
  );
}

function WaitingBanner({ run }: { run: RunView }) {
  const { node, untilMs, execution } = run.waiting ?? { node: "", untilMs: null, execution: null };
  const now = useNow(untilMs !== null, 1000);
  const address = useResumeUrl(run);
  const what = execution
    ? `is waiting for execution ${execution}`
    : untilMs === null
      ? "is waiting for a call"
      : `continues ${relativeTime(new Date(untilMs), new Date(now))}${address ? " or when called" : ""}`;
  return (
    <BannerRow icon={<Clock size={15} aria-hidden />} tone="wait">
      <span>
        {node} {what}
        {address ? ":" : "."}
      </span>
      {address && <CallUrl {...address} label="Copy resume URL" tone="wait" />}
    </BannerRow>
  );
}

/** An agent asks before it uses a tool: the exact calls are one click away, wherever in the editor one is. */
function ApprovalBanner({ run }: { run: RunView }) {
  const [isOpen, setOpen] = useState(false);
  const open = pendingApprovals(run.approvals, useNow(true, 1000));
  const [first] = open;
  if (!first && !isOpen) return null;
  return (
    <BannerRow icon={<ShieldQuestion size={15} aria-hidden />} tone="wait">
      <span>
        {first && open.length === 1 ? (
          <>
            <b>{first.node}</b> wants to call <code>{first.tool}</code>.
          </>
        ) : (
          <>{plural(open.length, "call")} waiting for approval.</>
        )}
      </span>
      <span className={css.actions}>
        <Button size="small" kind="primary" onClick={() => setOpen(true)}>
          {" "}
          Review…
        </Button>
      </span>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title={`Execution ${run.executionId} needs approval`}
      >
        {run.approvals.map((asked) => (
          <ApprovalCard
            key={`${asked.node} ${asked.call}`}
            asked={asked}
            onDecided={() => open.length <= 1 && setOpen(false)}
          />
        ))}
      </Dialog>
    </BannerRow>
  );
}

/** A step may have happened although no result was kept. Only a person can say, so a person is asked. */
function UncertainBanner({ run }: { run: RunView }) {
  const node = uncertainStep(run);
  const reason = quarantineReason(run);
  const isSafe = useEditor((state) =>
    state.workflow.nodes.some((one) => one.name === node && one.safeToRepeat === true),
  );
  return (
    <BannerRow icon={<CircleHelp size={15} aria-hidden />} tone="wait">
      {reason ? (
        <span>
          {reason}{" "}
          {node && (
            <>
              <b>{node}</b> may have completed.{" "}
            </>
          )}
          {isSafe ? "It is marked as safe to repeat." : "Check what it does, then decide."}
        </span>
      ) : (
        <span>
          {node ? <b>{node}</b> : "A step"} was interrupted and may have completed.{" "}
          {isSafe ? "It is marked as safe to repeat." : "Check the service it calls, then decide."}
        </span>
      )}
      <span className={css.actions}>
        <DecisionButtons
          size="small"
          id={run.executionId}
          events={run.events}
          onResumed={(id) => followRun(id, run.workflowId)}
          onStopped={() => void showExecution(run.executionId)}
        />
      </span>
    </BannerRow>
  );
}

function BannerRow({
  icon,
  tone,
  children,
}: {
  icon: ReactNode;
  tone: "run" | "wait";
  children: ReactNode;
}) {
  return (
    <div className={css.line} data-tone={tone} role="status">
      {icon}
      {children}
    </div>
  );
}
