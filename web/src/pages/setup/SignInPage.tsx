/** The way in for those who have an account. */
import { useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { signIn } from "../../api/session";
import { Field, Input } from "../../ui";
import { AuthPage } from "./AuthPage";
import { safeNextUrl } from "./nextUrl";
import { isEmail } from "./password";

export default function SignInPage() {
  const [query] = useSearchParams();
  const [, go] = useLocation();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  return (
    <AuthPage
      text="Forgot your password? Ask an owner or admin for a reset link (Settings, Users)."
      action="Sign in"
      invalid={!isEmail(email) || password === ""}
      onSubmit={() => signIn({ email: email.trim(), password })}
      onDone={() => go(safeNextUrl(query.get("next")), { replace: true })}
    >
      <Field
        label="Email"
        required
        problem={!isEmail(email) ? "Enter a valid email address." : undefined}
      >
        <Input
          type="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          autoComplete="username"
          autoFocus
        />
      </Field>
      <Field
        label="Password"
        required
        problem={password === "" ? "Enter your password." : undefined}
      >
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
