// Short words at the lower edge about what was just done, with a way to take it back.
import { CircleAlert, CircleCheck, X } from "lucide-react";
import { useEffect, useSyncExternalStore } from "react";
import { Button, IconButton } from "./Button";
import { cx } from "./cx";
import css from "./Toasts.module.css";

interface Toast {
  text: string;
  tone?: "plain" | "good" | "bad";
  undo?: () => void;
  /** Where to look at what the words are about. */
  action?: { label: string; run: () => void };
}

const STAYS_MS = 6000;
const MAX_SHOWN = 3;
let shown: readonly (Toast & { id: number })[] = [];
let last = 0;
const listeners = new Set<() => void>();

function setShown(next: typeof shown) {
  shown = next;
  for (const listener of listeners) listener();
}

export function toast(words: Toast) {
  last += 1;
  setShown([...shown.slice(1 - MAX_SHOWN), { ...words, id: last }]);
}

function dismiss(id: number) {
  setShown(shown.filter((one) => one.id !== id));
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Stands once in the app. */
export function Toasts() {
  const all = useSyncExternalStore(subscribe, () => shown);
  return (
    <section className={css.toasts} aria-label="Notifications" aria-live="polite">
      {all.map((one) => (
        <ToastItem key={one.id} {...one} />
      ))}
    </section>
  );
}

function ToastItem({ id, text, tone = "plain", undo, action }: Toast & { id: number }) {
  useEffect(() => {
    const timer = setTimeout(() => dismiss(id), STAYS_MS);
    return () => clearTimeout(timer);
  }, [id]);
  const Icon = tone === "bad" ? CircleAlert : CircleCheck;
  return (
    <div className={cx(css.toast, css[tone])} role={tone === "bad" ? "alert" : "status"}>
      {tone !== "plain" && <Icon size={15} aria-hidden />}
      <span>{text}</span>
      {[action, undo && { label: "Undo", run: undo }].map(
        (one) =>
          one && (
            <Button
              key={one.label}
              kind="quiet"
              size="small"
              onClick={() => {
                one.run();
                dismiss(id);
              }}
            >
              {one.label}
            </Button>
          ),
      )}
      <IconButton icon={X} label="Dismiss" size="small" onClick={() => dismiss(id)} />
    </div>
  );
}
