/** The frame of the pages before one is signed in. */
import type { ReactNode } from "react";
import markUrl from "../../theme/mark.svg";
import { Button, ErrorState, FormSubmitted, usePageTitle, useSubmit } from "../../ui";
import styles from "./AuthPage.module.css";

interface Props {
  text: ReactNode;
  action: string;
  /** A field stands in the way. */
  invalid: boolean;
  onSubmit: () => Promise<unknown>;
  /** It went well: where to go from here. */
  onDone: () => void;
  /** Stands above the form. */
  notice?: ReactNode;
  /** Another way in, below the form. */
  other?: ReactNode;
  children: ReactNode;
}

export function AuthPage({ text, action, notice, other, children, ...work }: Props) {
  const title = usePageTitle();
  const { isSubmitted, busy, error, submit } = useSubmit(work);
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <div className={styles.brand}>
          <img src={markUrl} width={26} height={26} alt="" /> Heddle
        </div>
        <h1 className={styles.title}>{title}</h1>
        <p className={styles.text}>{text}</p>
        {notice && (
          <p className={styles.notice} role="alert">
            {notice}
          </p>
        )}
        <form className={styles.form} onSubmit={submit} noValidate>
          <FormSubmitted value={isSubmitted}>{children}</FormSubmitted>
          {Boolean(error) && <ErrorState error={error} />}
          <Button kind="primary" type="submit" busy={busy}>
            {action}
          </Button>
        </form>
        {other && (
          <div className={styles.other}>
            <div className={styles.or}>or</div>
            {other}
          </div>
        )}
      </div>
    </main>
  );
}
