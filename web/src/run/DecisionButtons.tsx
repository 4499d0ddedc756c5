// What a person can say about a step that may have happened: it did, and this came of it; it did not; the run begins
// anew; or it is given up.

import { CircleCheck, RotateCcw, StepForward, X } from "lucide-react";
import { useState } from "react";
import { useCanEdit } from "../api/session";
import { Button, confirm, ErrorState, Field, FormDialog, Input, TextArea } from "../ui";
import { resumeExecution, retryExecution, stopExecution } from "./executionActions";

interface DecisionButtonsProps {
  id: string;
  /** How much of it was seen: if it has gone on since, nothing is decided. */
  events?: number;
  /** It goes on, as this execution. */
  onResumed: (executionId: string) => void;
  /** It will not go on; its record is kept. */
  onStopped: () => void;
  size?: "normal" | "small";
}

type DecisionKind = "again" | "anew" | "end";

export function DecisionButtons({ id, events, onResumed, onStopped, size }: DecisionButtonsProps) {
  const canEdit = useCanEdit();
  const [isTelling, setTelling] = useState(false);
  const [busy, setBusy] = useState<DecisionKind | null>(null);
  const [error, setError] = useState<unknown>(null);
  const act = async (way: DecisionKind) => {
    if (way === "end" && !(await confirm(stopConfirmation(id)))) return;
    setBusy(way);
    setError(null);
    try {
      if (way === "end") {
        await stopExecution(id);
        return onStopped();
      }
      const taken =
        way === "again"
          ? await resumeExecution(id, { decision: "again", events })
          : await retryExecution(id, "same");
      onResumed(String(taken.id));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(null);
    }
  };
  if (!canEdit) return <span>A project editor can decide.</span>;
  return (
    <>
      <Button size={size} kind="primary" icon={CircleCheck} onClick={() => setTelling(true)}>
        It completed…
      </Button>
      <Button
        size={size}
        icon={StepForward}
        busy={busy === "again"}
        onClick={() => void act("again")}
      >
        It did not: retry step
      </Button>
      <Button size={size} icon={RotateCcw} busy={busy === "anew"} onClick={() => void act("anew")}>
        Start over
      </Button>
      <Button size={size} icon={X} busy={busy === "end"} onClick={() => void act("end")}>
        Stop execution
      </Button>
      {error !== null && <ErrorState error={error} />}
      {isTelling && (
        <StepResultDialog
          id={id}
          events={events}
          onClose={() => setTelling(false)}
          onResumed={onResumed}
        />
      )}
    </>
  );
}

function stopConfirmation(id: string) {
  const text =
    "The execution is marked as stopped. Its record is kept, and you can run it again later.";
  return { title: `Stop execution ${id}?`, text, action: "Stop execution", danger: true };
}

/** Asks what came of it; the run goes on with that as if it had seen it itself. */
function StepResultDialog({
  id,
  events,
  onClose,
  onResumed,
}: Omit<DecisionButtonsProps, "onStopped"> & { onClose: () => void }) {
  const [result, setResult] = useState("");
  const [call, setCall] = useState("");
  const resume = async () => {
    const taken = await resumeExecution(id, {
      decision: "done",
      result,
      events,
      ...(call.trim() && { call: call.trim() }),
    });
    onResumed(String(taken.id));
  };
  return (
    <FormDialog
      title={`Execution ${id}: step completed`}
      action="Continue"
      onSubmit={resume}
      onClose={onClose}
    >
      <Field label="Result" hint="Text or JSON. An object becomes an item. Leave empty if unknown.">
        <TextArea mono value={result} onChange={(event) => setResult(event.target.value)} />
      </Field>
      <Field
        label="Tool call"
        hint="Only needed if an agent started several calls, such as tool 1.2. The error message lists them."
      >
        <Input value={call} onChange={(event) => setCall(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
