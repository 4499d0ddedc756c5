/** The forms of one's own account: name, e-mail address and password, each saved by itself. */
import { type ReactNode, useState } from "react";
import type { Me } from "../../api/session";
import layout from "../../shared/layout.module.css";
import { Button, ErrorState, Field, FormSubmitted, Input, toast, useSubmit } from "../../ui";
import { PasswordField } from "../setup/PasswordField";
import { passwordProblem } from "../setup/password";
import { changeEmail, changeName, changePassword } from "./accountApi";
import styles from "./Settings.module.css";

/** What the server takes. */
const MAX_NAME_CHARS = 32;

export function NameForm({ me }: { me: Me }) {
  const [first, setFirst] = useState(me.firstName);
  const [last, setLast] = useState(me.lastName);
  const isSame = first.trim() === me.firstName && last.trim() === me.lastName;
  const save = async () => {
    await changeName({ firstName: first.trim(), lastName: last.trim() });
    toast({ text: "Name changed.", tone: "good" });
  };
  return (
    <AccountForm title="Name" action="Save name" disabled={isSame} onSave={save}>
      <div className={styles.pair}>
        <Field label="First name">
          <Input
            value={first}
            onChange={(event) => setFirst(event.target.value)}
            maxLength={MAX_NAME_CHARS}
            autoComplete="given-name"
          />
        </Field>
        <Field label="Last name">
          <Input
            value={last}
            onChange={(event) => setLast(event.target.value)}
            maxLength={MAX_NAME_CHARS}
            autoComplete="family-name"
          />
        </Field>
      </div>
    </AccountForm>
  );
}

export function EmailForm({ me }: { me: Me }) {
  const [email, setEmail] = useState(me.email);
  const [current, setCurrent] = useState("");
  const isSame = email.trim().toLowerCase() === me.email;
  const problem = /^[^\s@]+@[^\s@]+$/.test(email.trim()) ? undefined : "Enter an email address.";
  const save = async () => {
    await changeEmail({ email: email.trim(), currentPassword: current });
    toast({ text: "Email address changed. Use it to sign in from now on.", tone: "good" });
  };
  return (
    <AccountForm
      title="Email address"
      action="Change email address"
      disabled={isSame}
      invalid={Boolean(problem) || current === ""}
      onSave={save}
    >
      <Field label="Email address" problem={problem}>
        <Input
          type="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          maxLength={320}
          autoComplete="username"
        />
      </Field>
      {!isSame && <CurrentPassword value={current} onChange={setCurrent} />}
    </AccountForm>
  );
}

export function PasswordForm() {
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const save = async () => {
    await changePassword({ currentPassword: current, password });
    setCurrent("");
    setPassword("");
    toast({ text: "Password changed. All other sessions were signed out.", tone: "good" });
  };
  return (
    <AccountForm
      title="Password"
      text="Changing it signs you out everywhere else."
      action="Change password"
      invalid={current === "" || Boolean(passwordProblem(password))}
      onSave={save}
    >
      <CurrentPassword value={current} onChange={setCurrent} />
      <PasswordField label="New password" value={password} onChange={setPassword} />
    </AccountForm>
  );
}

export function CurrentPassword({
  value,
  onChange,
}: {
  value: string;
  onChange: (password: string) => void;
}) {
  return (
    <Field
      label="Current password"
      required
      problem={value === "" ? "Enter your current password." : undefined}
    >
      <Input
        type="password"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        autoComplete="current-password"
      />
    </Field>
  );
}

interface AccountFormProps {
  title: string;
  text?: string;
  action: string;
  disabled?: boolean;
  invalid?: boolean;
  onSave: () => Promise<void>;
  children: ReactNode;
}

function AccountForm({
  title,
  text,
  action,
  disabled,
  invalid = false,
  onSave,
  children,
}: AccountFormProps) {
  const { isSubmitted, busy, error, submit } = useSubmit({ invalid, onSubmit: onSave });
  return (
    <section className={layout.card} aria-label={title}>
      <h2 className={layout.cardTitle}>{title}</h2>
      <form className={layout.stack} onSubmit={submit} noValidate>
        {text && <p className={layout.quiet}>{text}</p>}
        <FormSubmitted value={isSubmitted}>{children}</FormSubmitted>
        {Boolean(error) && <ErrorState error={error} />}
        <div>
          <Button kind="primary" type="submit" busy={busy} disabled={disabled}>
            {action}
          </Button>
        </div>
      </form>
    </section>
  );
}
