// What is shown while something is on its way, and when it did not arrive.
import { CircleAlert, LoaderCircle } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { ApiError } from "../api/client";
import css from "./AsyncStates.module.css";
import { Button } from "./Button";

/** Nothing is shown for the first 150 ms: most answers are here by then. */
const SLOW_MS = 150;

function useIsSlow() {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return late;
}

export function Loading({ label = "Loading" }: { label?: string }) {
  const late = useIsSlow();
  return (
    <div className={css.loading} role="status" aria-label={label}>
      {late && <LoaderCircle size={20} className={css.turning} aria-hidden />}
    </div>
  );
}

export function Skeleton({ lines = 5 }: { lines?: number }) {
  const late = useIsSlow();
  return (
    <div className={css.skeleton} role="status" aria-label="Loading">
      {late &&
        Array.from({ length: lines }, (_, index) => (
          <span key={index} style={{ width: `${92 - ((index * 17) % 40)}%` }} />
        ))}
    </div>
  );
}

/** An error in three parts: what happened, what to do about it, and the code that leads to more. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const known = error instanceof ApiError ? error : undefined;
  const message = known?.message ?? (error instanceof Error ? error.message : String(error));
  return (
    <div className={css.problem} role="alert">
      <CircleAlert size={16} aria-hidden />
      <div>
        <p className={css.message}>{message}</p>
        {known?.hint && <p className={css.hint}>{known.hint}</p>}
        {known?.code && <code className={css.code}>{known.code}</code>}
      </div>
      {onRetry && (
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** What is asked of a server, as far as it is here. */
export interface AsyncData<Data> {
  data: Data | undefined;
  error: unknown;
  refetch: () => unknown;
}

interface AsyncContentProps<Data> {
  query: AsyncData<Data>;
  /** How many lines stand for it while it is on its way. */
  lines?: number;
  children?: (data: Data) => ReactNode;
}

/** Shows what has arrived; until then that it is on its way, and when it failed why. */
export function AsyncContent<Data>({ query, lines, children }: AsyncContentProps<Data>) {
  const { data, error, refetch } = query;
  return (
    <>
      {Boolean(error) && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Skeleton lines={lines} />}
      {data !== undefined && children?.(data)}
    </>
  );
}
