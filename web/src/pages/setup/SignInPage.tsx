/** The way in for those who have an account. */
import { useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { signIn } from "../../api/session";
import { Field, Input, useTask } from "../../ui";
import { EntryPage } from "./EntryPage";
import { isEmail } from "./password";
import { safeReturn } from "./way";

export default function SignInPage() {
  const [query] = useSearchParams();
  const [, go] = useLocation();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [asked, setAsked] = useState(false);
  const task = useTask();
  const submit = async () => {
    setAsked(true);
    if (!isEmail(email) || password === "") return;
    if (await task.run(() => signIn(email.trim(), password))) go(safeReturn(query.get("next")), { replace: true });
  };
  return (
    <EntryPage
      title="Sign in"
      text="Forgot the password? An owner or admin makes you a link for a new one under Settings, People."
      action="Sign in"
      busy={task.busy}
      error={task.error}
      onSubmit={submit}
    >
      <Field label="E-mail" required error={asked && !isEmail(email) ? "This is no e-mail address." : undefined}>
        <Input type="email" value={email} onChange={(event) => setEmail(event.target.value)} autoComplete="username" autoFocus />
      </Field>
      <Field label="Password" required error={asked && password === "" ? "The password is needed." : undefined}>
        <Input
          type="password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          autoComplete="current-password"
        />
      </Field>
    </EntryPage>
  );
}
