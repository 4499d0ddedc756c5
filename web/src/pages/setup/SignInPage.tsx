/** The way in for those who have an account. */
import { useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { ApiError } from "../../api/client";
import { signIn, useOidcName } from "../../api/session";
import { ActionLink, Field, Input } from "../../ui";
import { AuthPage } from "./AuthPage";
import { CodeField } from "./CodeField";
import { safeNextUrl } from "./nextUrl";
import { oidcMessage } from "./oidcMessages";
import { isEmail } from "./password";

export default function SignInPage() {
  const [query] = useSearchParams();
  const [, go] = useLocation();
  const oidcName = useOidcName();
  const next = safeNextUrl(query.get("next"));
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState<string | null>(null);
  const enter = async () => {
    try {
      await signIn({ email: email.trim(), password, code: code?.trim() });
    } catch (error) {
      // The first time it is a question and no failure.
      if (code !== null || !(error instanceof ApiError) || error.code !== "ACCESS_CODE")
        throw error;
      setCode("");
      return false;
    }
  };
  return (
    <AuthPage
      text="Forgot your password? Ask an owner or admin for a reset link (Settings, Users)."
      action="Sign in"
      invalid={!isEmail(email) || password === "" || code?.trim() === ""}
      onSubmit={enter}
      onDone={() => go(next, { replace: true })}
      notice={oidcMessage(query.get("oidc"), oidcName)}
      other={
        oidcName && (
          <ActionLink href={`/api/oidc/sign-in?next=${encodeURIComponent(next)}`}>
            Sign in with {oidcName}
          </ActionLink>
        )
      }
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
      {code !== null && <CodeField value={code} onChange={setCode} autoFocus />}
    </AuthPage>
  );
}
