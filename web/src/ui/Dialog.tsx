// A window over the page, and a question that must be answered before something is done.
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useSyncExternalStore } from "react";
import { Button, IconButton } from "./Button";
import { cx } from "./cx";
import css from "./Dialog.module.css";
import { ErrorBoundary } from "./ErrorBoundary";

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  size?: "small" | "normal" | "large";
  footer?: ReactNode;
  children: ReactNode;
}

export function Dialog({ open, onClose, title, size = "normal", footer, children }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={(now) => !now && onClose()}>
      {/* The outer one catches what goes wrong while the dialog is being closed, when the inner one is gone. */}
      <ErrorBoundary what="The dialog" place="nowhere" resetKey={open}>
        <Radix.Portal>
          <Radix.Overlay className={css.shade} />
          <Radix.Content
            className={cx(css.dialog, css[size])}
            aria-describedby={undefined}
            onOpenAutoFocus={focusFirst}
          >
            <header className={css.head}>
              <Radix.Title className={css.title}>{title}</Radix.Title>
              <IconButton icon={X} label="Close" size="small" onClick={onClose} />
            </header>
            <ErrorBoundary what="This dialog" place="float">
              <div className={css.body} data-body>
                {children}
              </div>
              {footer && <footer className={css.foot}>{footer}</footer>}
            </ErrorBoundary>
          </Radix.Content>
        </Radix.Portal>
      </ErrorBoundary>
    </Radix.Root>
  );
}

/** The first field has the focus, not the button that closes it all again. */
function focusFirst(event: Event) {
  const dialog = event.currentTarget as HTMLElement | null;
  const first = dialog?.querySelector<HTMLElement>(
    "[data-body] :is(input, textarea, button, a):not(:disabled)",
  );
  event.preventDefault();
  (first ?? dialog)?.focus();
}

interface ConfirmRequest {
  title: string;
  text: ReactNode;
  /** The word on the button that does it. */
  action: string;
  danger?: boolean;
  /** Another way, for questions with more than one. */
  alternative?: string;
}

type Answer = "action" | "alternative" | null;

let pending: (ConfirmRequest & { answer: (chosen: Answer) => void }) | null = null;
const listeners = new Set<() => void>();

function setPending(question: typeof pending) {
  pending = question;
  for (const listener of listeners) listener();
}

/** Asks before something that cannot be taken back. */
export async function confirm(question: ConfirmRequest): Promise<boolean> {
  return (await choose(question)) === "action";
}

/** Asks which of two ways to take; `null` for neither. */
export function choose(question: ConfirmRequest): Promise<Answer> {
  return new Promise((resolve) => setPending({ ...question, answer: resolve }));
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Stands once in the app and shows what [`confirm`] asks. */
export function ConfirmDialog() {
  const question = useSyncExternalStore(subscribe, () => pending);
  const answer = (chosen: Answer) => {
    question?.answer(chosen);
    setPending(null);
  };
  return (
    <Dialog
      open={question !== null}
      onClose={() => answer(null)}
      title={question?.title ?? ""}
      size="small"
      footer={
        <>
          <Button onClick={() => answer(null)}>Cancel</Button>
          {question?.alternative && (
            <Button onClick={() => answer("alternative")}>{question.alternative}</Button>
          )}
          <Button
            kind={question?.danger ? "danger" : "primary"}
            onClick={() => answer("action")}
            autoFocus
          >
            {question?.action}
          </Button>
        </>
      }
    >
      <p>{question?.text}</p>
    </Dialog>
  );
}
