// A tool call that waits for a person: which tool, its exact arguments, until when, and the two answers.

import { Check, ShieldQuestion, X } from "lucide-react";
import { useState } from "react";
import { useMayChange } from "../api/session";
import { Badge, Button, Dialog, exactTime, Field, Problem, relativeTime, TextArea, useTask } from "../ui";
import css from "./ApprovalCard.module.css";
import type { Asked } from "./approval";
import { decide } from "./execution";
import { JsonBlock } from "./JsonBlock";
import { useNow } from "./useNow";

/** The server takes reasons up to this length. */
const LONGEST_REASON = 2000;

interface ApprovalCardProps {
  asked: Asked;
  /** Somebody has decided; the run goes on. */
  onDecided?: () => void;
}

export function ApprovalCard({ asked, onDecided }: ApprovalCardProps) {
  const mayChange = useMayChange();
  const [isRejecting, setRejecting] = useState(false);
  const [mine, setMine] = useState<"approved" | "rejected" | null>(null);
  const { busy, error, run } = useTask();
  const now = useNow(asked.untilMs !== null, 1000);
  const isLate = asked.untilMs !== null && asked.untilMs <= now;
  const decision = asked.decision ?? mine ?? (isLate ? "expired" : null);
  const approve = async () => {
    if (!(await run(() => decide(asked, "approve")))) return;
    setMine("approved");
    onDecided?.();
  };
  return (
    <section className={css.card} aria-label={`Approval of ${asked.tool}`}>
      <header>
        <ShieldQuestion size={15} aria-hidden />
        <span>
          <b>{asked.node || "The agent"}</b> {decision ? "asked" : "asks"} to use <code>{asked.tool}</code>
        </span>
        {decision ? <Verdict decision={decision} by={asked.by} /> : <Until untilMs={asked.untilMs} now={now} />}
      </header>
      <JsonBlock value={asked.arguments ?? {}} label={`arguments of ${asked.tool}`} />
      {asked.reason && <p className={css.reason}>Reason: {asked.reason}</p>}
      {!decision && !mayChange && <p className={css.reason}>An editor of the project can decide.</p>}
      {!decision && mayChange && (
        <div className={css.buttons}>
          <Button size="small" kind="primary" icon={Check} busy={busy} onClick={() => void approve()}>
            Approve
          </Button>
          <Button size="small" icon={X} onClick={() => setRejecting(true)}>
            Reject…
          </Button>
        </div>
      )}
      {error !== null && <Problem error={error} />}
      {isRejecting && (
        <RejectDialog
          asked={asked}
          onClose={() => setRejecting(false)}
          onRejected={() => {
            setMine("rejected");
            onDecided?.();
          }}
        />
      )}
    </section>
  );
}

function Until({ untilMs, now }: { untilMs: number | null; now: number }) {
  if (untilMs === null) return null;
  const until = new Date(untilMs);
  return (
    <time className={css.until} dateTime={until.toISOString()} title={exactTime(until)}>
      expires {relativeTime(until, new Date(now))}
    </time>
  );
}

const WORDS = {
  approved: { word: "Approved", tone: "good" },
  rejected: { word: "Rejected", tone: "bad" },
  expired: { word: "Nobody decided in time", tone: "neutral" },
} as const;

/** How it was decided, and by whom. */
export function Verdict({ decision, by }: { decision: keyof typeof WORDS; by: string | null }) {
  const { word, tone } = WORDS[decision];
  return <Badge tone={tone}>{by ? `${word} by ${by}` : word}</Badge>;
}

/** Asks why, because the agent is told: with a reason it may find a better way. */
function RejectDialog({ asked, onClose, onRejected }: { asked: Asked; onClose: () => void; onRejected: () => void }) {
  const [reason, setReason] = useState("");
  const { busy, error, run } = useTask();
  const go = async () => {
    if (!(await run(() => decide(asked, "reject", reason)))) return;
    onRejected();
    onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Reject ${asked.tool}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" busy={busy} onClick={() => void go()}>
            Reject
          </Button>
        </>
      }
    >
      <Field label="Reason" hint="The agent is told why and goes on without the call. May be empty.">
        <TextArea value={reason} maxLength={LONGEST_REASON} onChange={(event) => setReason(event.target.value)} />
      </Field>
      {error !== null && <Problem error={error} />}
    </Dialog>
  );
}
