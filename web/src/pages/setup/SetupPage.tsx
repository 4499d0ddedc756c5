/** The first start: whoever has the token from the terminal becomes the owner. */
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { setUp } from "../../api/session";
import { Field, Input } from "../../ui";
import { AuthPage } from "./AuthPage";
import styles from "./AuthPage.module.css";
import { PasswordField } from "./PasswordField";
import { isEmail, passwordProblem } from "./password";

export default function SetupPage() {
  const [, go] = useLocation();
  // The token stands behind the `#`, which browsers send to nobody; from here on it is in no address at all.
  const [given] = useState(
    () => new URLSearchParams(window.location.hash.slice(1)).get("token") ?? "",
  );
  const [token, setToken] = useState(given);
  const [firstName, setFirstName] = useState("");
  const [lastName, setLastName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const came = given !== "";
  useEffect(() => {
    window.history.replaceState(window.history.state, "", window.location.pathname);
  }, []);
  const submit = () =>
    setUp({
      token: token.trim(),
      email: email.trim(),
      password,
      firstName: firstName.trim(),
      lastName: lastName.trim(),
    });
  return (
    <AuthPage
      text="Create the owner account for this instance. You can invite other users later."
      action="Create account"
      invalid={token.trim() === "" || !isEmail(email) || Boolean(passwordProblem(password))}
      onSubmit={submit}
      onDone={() => go("/workflows", { replace: true })}
    >
      {!came && (
        <Field
          label="Setup token"
          required
          problem={token.trim() === "" ? "Enter the token." : undefined}
          hint="Heddle prints the token in its terminal until an owner exists."
        >
          <Input
            value={token}
            onChange={(event) => setToken(event.target.value)}
            autoFocus
            autoComplete="off"
          />
        </Field>
      )}
      <div className={styles.names}>
        <Field label="First name">
          <Input
            value={firstName}
            onChange={(event) => setFirstName(event.target.value)}
            autoComplete="given-name"
            maxLength={32}
            autoFocus={came}
          />
        </Field>
        <Field label="Last name">
          <Input
            value={lastName}
            onChange={(event) => setLastName(event.target.value)}
            autoComplete="family-name"
            maxLength={32}
          />
        </Field>
      </div>
      <Field
        label="Email"
        required
        problem={!isEmail(email) ? "Enter a valid email address." : undefined}
        hint="You sign in with it. Heddle does not send email."
      >
        <Input
          type="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          autoComplete="username"
          required
        />
      </Field>
      <PasswordField value={password} onChange={setPassword} />
    </AuthPage>
  );
}
