/** The frame of the pages before one is signed in. */
import { type FormEvent, type ReactNode, useEffect } from "react";
import markUrl from "../../app/mark.svg";
import { Button, ErrorState } from "../../ui";
import styles from "./AuthPage.module.css";

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

export function AuthPage({ title, text, action, busy, error, disabled, onSubmit, children }: Props) {
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
          <img src={markUrl} width={26} height={26} alt="" /> Heddle
        </div>
        <h1 className={styles.title}>{title}</h1>
        <p className={styles.text}>{text}</p>
        <form className={styles.form} onSubmit={submit} noValidate>
          {children}
          {Boolean(error) && <ErrorState error={error} />}
          <Button kind="primary" type="submit" busy={busy} disabled={disabled}>
            {action}
          </Button>
        </form>
      </div>
    </main>
  );
}
