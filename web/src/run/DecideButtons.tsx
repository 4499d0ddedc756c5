// What a person can say about a step that may have happened: it did, and this came of it; it did not; the run begins
// anew; or it is given up.

import { CircleCheck, RotateCcw, StepForward, X } from "lucide-react";
import { useState } from "react";
import { useMayChange } from "../api/session";
import { Button, confirm, Dialog, Field, Input, Problem, TextArea, useTask } from "../ui";
import { resume, retry, stop } from "./execution";

interface DecideButtonsProps {
  id: string;
  /** How much of it was seen: if it has gone on since, nothing is decided. */
  events?: number;
  /** It goes on, as this execution. */
  onTaken: (executionId: string) => void;
  /** It will not go on; its record is kept. */
  onGivenUp: () => void;
  size?: "normal" | "small";
}

type Way = "again" | "anew" | "end";

export function DecideButtons({ id, events, onTaken, onGivenUp, size }: DecideButtonsProps) {
  const mayChange = useMayChange();
  const [isTelling, setTelling] = useState(false);
  const [busy, setBusy] = useState<Way | null>(null);
  const [error, setError] = useState<unknown>(null);
  const act = async (way: Way) => {
    if (way === "end" && !(await confirm(givingUp(id)))) return;
    setBusy(way);
    setError(null);
    try {
      if (way === "end") {
        await stop(id);
        return onGivenUp();
      }
      const taken = way === "again" ? await resume(id, { decision: "again", events }) : await retry(id, "same");
      onTaken(String(taken.id));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(null);
    }
  };
  if (!mayChange) return <span>An editor of the project can decide.</span>;
  return (
    <>
      <Button size={size} kind="primary" icon={CircleCheck} onClick={() => setTelling(true)}>
        It happened…
      </Button>
      <Button size={size} icon={StepForward} busy={busy === "again"} onClick={() => void act("again")}>
        It did not: take the step again
      </Button>
      <Button size={size} icon={RotateCcw} busy={busy === "anew"} onClick={() => void act("anew")}>
        Start over
      </Button>
      <Button size={size} icon={X} busy={busy === "end"} onClick={() => void act("end")}>
        Give up
      </Button>
      {error !== null && <Problem error={error} />}
      {isTelling && <HappenedDialog id={id} events={events} onClose={() => setTelling(false)} onTaken={onTaken} />}
    </>
  );
}

function givingUp(id: string) {
  const text = "The run ends here as stopped. What it did stays on record, and it can be run again later.";
  return { title: `Give execution ${id} up?`, text, action: "Give up", danger: true };
}

/** Asks what came of it; the run goes on with that as if it had seen it itself. */
function HappenedDialog({ id, events, onClose, onTaken }: Omit<DecideButtonsProps, "onGivenUp"> & { onClose: () => void }) {
  const [result, setResult] = useState("");
  const [call, setCall] = useState("");
  const { busy, error, run } = useTask();
  const go = () =>
    run(async () => {
      const taken = await resume(id, { decision: "done", result, events, ...(call.trim() && { call: call.trim() }) });
      onClose();
      onTaken(String(taken.id));
    });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Execution ${id}: the step happened`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" busy={busy} onClick={() => void go()}>
            Go on
          </Button>
        </>
      }
    >
      <Field label="What came of it" hint="Words, or JSON: an object is an item. Empty if you do not know; the run is told so.">
        <TextArea mono value={result} onChange={(event) => setResult(event.target.value)} />
      </Field>
      <Field
        label="Which call"
        hint="Only where an agent had begun several, such as tool 1.2. The answer names them if it needs to know."
      >
        <Input value={call} onChange={(event) => setCall(event.target.value)} />
      </Field>
      {error !== null && <Problem error={error} />}
    </Dialog>
  );
}
