// A tool call that waits for a person: which tool, its exact arguments, until when, and the two answers.

import { Check, ShieldQuestion, X } from "lucide-react";
import { useState } from "react";
import { useCanEdit } from "../api/session";
import {
  Badge,
  Button,
  ErrorState,
  exactTime,
  Field,
  FormDialog,
  relativeTime,
  TextArea,
  useAsyncAction,
} from "../ui";
import css from "./ApprovalCard.module.css";
import type { ApprovalRequest } from "./approval";
import { decideApproval } from "./executionActions";
import { JsonBlock } from "./JsonBlock";
import { useNow } from "./useNow";

/** The server takes reasons up to this length. */
const MAX_REASON_CHARS = 2000;

interface ApprovalCardProps {
  asked: ApprovalRequest;
  /** Somebody has decided; the run goes on. */
  onDecided?: () => void;
}

export function ApprovalCard({ asked, onDecided }: ApprovalCardProps) {
  const canEdit = useCanEdit();
  const [isRejecting, setRejecting] = useState(false);
  const [mine, setMine] = useState<"approved" | "rejected" | null>(null);
  const { busy, error, run } = useAsyncAction();
  const now = useNow(asked.untilMs !== null, 1000);
  const isLate = asked.untilMs !== null && asked.untilMs <= now;
  const decision = asked.decision ?? mine ?? (isLate ? "expired" : null);
  const approve = async () => {
    if (!(await run(() => decideApproval(asked, "approve")))) return;
    setMine("approved");
    onDecided?.();
  };
  return (
    <section className={css.card} aria-label={`Approval for ${asked.tool}`}>
      <header>
        <ShieldQuestion size={15} aria-hidden />
        <span>
          <b>{asked.node || "The agent"}</b> {decision ? "asked" : "wants"} to call{" "}
          <code>{asked.tool}</code>
        </span>
        {decision ? (
          <DecisionBadge decision={decision} by={asked.by} />
        ) : (
          <Deadline untilMs={asked.untilMs} now={now} />
        )}
      </header>
      <JsonBlock value={asked.arguments ?? {}} label={`arguments of ${asked.tool}`} />
      {asked.reason && <p className={css.reason}>Reason: {asked.reason}</p>}
      {!decision && !canEdit && <p className={css.reason}>A project editor can decide.</p>}
      {!decision && canEdit && (
        <div className={css.buttons}>
          <Button
            size="small"
            kind="primary"
            icon={Check}
            busy={busy}
            onClick={() => void approve()}
          >
            Approve
          </Button>
          <Button size="small" icon={X} onClick={() => setRejecting(true)}>
            Reject…
          </Button>
        </div>
      )}
      {error !== null && <ErrorState error={error} />}
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

function Deadline({ untilMs, now }: { untilMs: number | null; now: number }) {
  if (untilMs === null) return null;
  const until = new Date(untilMs);
  return (
    <time className={css.until} dateTime={until.toISOString()} title={exactTime(until)}>
      expires {relativeTime(until, new Date(now))}
    </time>
  );
}

const DECISION_LABELS = {
  approved: { word: "Approved", tone: "good" },
  rejected: { word: "Rejected", tone: "bad" },
  expired: { word: "Expired", tone: "neutral" },
} as const;

/** How it was decided, and by whom. */
export function DecisionBadge({
  decision,
  by,
}: {
  decision: keyof typeof DECISION_LABELS;
  by: string | null;
}) {
  const { word, tone } = DECISION_LABELS[decision];
  return <Badge tone={tone}>{by ? `${word} by ${by}` : word}</Badge>;
}

/** Asks why, because the agent is told: with a reason it may find a better way. */
function RejectDialog({
  asked,
  onClose,
  onRejected,
}: {
  asked: ApprovalRequest;
  onClose: () => void;
  onRejected: () => void;
}) {
  const [reason, setReason] = useState("");
  const reject = async () => {
    await decideApproval(asked, "reject", reason);
    onRejected();
  };
  return (
    <FormDialog
      title={`Reject ${asked.tool}`}
      action="Reject"
      danger
      onSubmit={reject}
      onClose={onClose}
    >
      <Field
        label="Reason"
        hint="Optional. The agent receives the reason and continues without the call."
      >
        <TextArea
          value={reason}
          maxLength={MAX_REASON_CHARS}
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
