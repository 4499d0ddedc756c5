/** The frame of the pages before one is signed in. */
import { type FormEvent, type ReactNode, useEffect } from "react";
import { Button, Problem } from "../../ui";
import styles from "./entry.module.css";

interface Props {
  title: string;
  text: ReactNode;
  action: string;
  busy: boolean;
  error: unknown;
  disabled?: boolean;
  onSubmit: () => void;
  children: ReactNode;
}

export function EntryPage({ title, text, action, busy, error, disabled, onSubmit, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Heddle`;
  }, [title]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <div className={styles.brand}>
          <Mark /> Heddle
        </div>
        <h1 className={styles.title}>{title}</h1>
        <p className={styles.text}>{text}</p>
        <form className={styles.form} onSubmit={submit} noValidate>
          {children}
          {Boolean(error) && <Problem error={error} />}
          <Button kind="primary" type="submit" busy={busy} disabled={disabled}>
            {action}
          </Button>
        </form>
      </div>
    </main>
  );
}

/** Threads through an eye: what a heddle is. */
function Mark() {
  return (
    <svg
      className={styles.mark}
      width="22"
      height="22"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <path d="M6 3v18M18 3v18M12 3v5M12 16v5" />
      <ellipse cx="12" cy="12" rx="2.5" ry="4" />
    </svg>
  );
}
