/** The way in for those who have an account. */
import { useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { signIn } from "../../api/session";
import { Field, Input, useAsyncAction } from "../../ui";
import { AuthPage } from "./AuthPage";
import { safeNextUrl } from "./nextUrl";
import { isEmail } from "./password";

export default function SignInPage() {
  const [query] = useSearchParams();
  const [, go] = useLocation();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [asked, setAsked] = useState(false);
  const task = useAsyncAction();
  const submit = async () => {
    setAsked(true);
    if (!isEmail(email) || password === "") return;
    if (await task.run(() => signIn(email.trim(), password))) go(safeNextUrl(query.get("next")), { replace: true });
  };
  return (
    <AuthPage
      title="Sign in"
      text="Forgot your password? Ask an owner or admin for a reset link (Settings, Users)."
      action="Sign in"
      busy={task.busy}
      error={task.error}
      onSubmit={submit}
    >
      <Field label="Email" required error={asked && !isEmail(email) ? "Enter a valid email address." : undefined}>
        <Input type="email" value={email} onChange={(event) => setEmail(event.target.value)} autoComplete="username" autoFocus />
      </Field>
      <Field label="Password" required error={asked && password === "" ? "Enter your password." : undefined}>
        <Input
          type="password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          autoComplete="current-password"
        />
      </Field>
    </AuthPage>
  );
}
