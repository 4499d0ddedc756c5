// Work that a button starts: it is under way, it failed, or it is done.
import { useCallback, useState } from "react";
import { ApiError } from "../api/client";
import { toast } from "./Toasts";

export interface AsyncAction {
  busy: boolean;
  error: unknown;
  /** Gives whether it went well; if not, the error stays until the next try. */
  run: (work: () => Promise<unknown>) => Promise<boolean>;
  clear: () => void;
}

/** For forms and dialogs, which show the error where it happened. */
export function useAsyncAction(): AsyncAction {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = useCallback(async (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(null);
    try {
      await work();
      return true;
    } catch (problem) {
      setError(problem);
      return false;
    } finally {
      setBusy(false);
    }
  }, []);
  const clear = useCallback(() => setError(null), []);
  return { busy, error, run, clear };
}

/** For rows and menus: what goes wrong is said at the lower edge. Gives whether it went well. */
export async function tryAction(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    toast({ text: errorText(error), tone: "bad" });
    return false;
  }
}

/** An error in a sentence or two. */
export function errorText(error: unknown): string {
  if (error instanceof ApiError)
    return [error.message, error.hint].filter(Boolean).join(". ").replace(/\.\. /g, ". ");
  return error instanceof Error ? error.message : String(error);
}
