// How a form is sent: what is wrong with it is said only then, and it waits until its work is done.
import { createContext, type FormEvent, useContext, useState } from "react";
import { type AsyncAction, useAsyncAction } from "./useAsyncAction";

/** Whether the form around has been sent, so that fields say what is wrong with them. */
export const FormSubmitted = createContext(false);

export function useFormSubmitted(): boolean {
  return useContext(FormSubmitted);
}

export interface FormWork {
  /** A field stands in the way; its `problem` is shown then. */
  invalid?: boolean;
  /** Does the work. Gives `false` where it is not over yet. */
  onSubmit: () => unknown;
  /** The work is done. */
  onDone?: () => void;
}

export function useSubmit(work: FormWork) {
  const [isSubmitted, setSubmitted] = useState(false);
  const { busy, error, run } = useAsyncAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A dialog lies within the form it was opened from, as far as React is concerned.
    event.stopPropagation();
    if (!busy) void sendForm(work, run, setSubmitted);
  };
  return { isSubmitted, busy, error, submit };
}

export async function sendForm(
  { invalid, onSubmit, onDone }: FormWork,
  run: AsyncAction["run"],
  mark: (is: boolean) => void,
) {
  mark(true);
  if (invalid) return;
  let result: unknown;
  const isDone = await run(async () => {
    result = await onSubmit();
  });
  if (!isDone) return;
  mark(false);
  if (result !== false) onDone?.();
}
