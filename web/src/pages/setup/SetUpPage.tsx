/** The first start: whoever has the token from the terminal becomes the owner. */
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { setUp } from "../../api/session";
import { Field, Input, useTask } from "../../ui";
import { EntryPage } from "./EntryPage";
import styles from "./entry.module.css";
import { PasswordField } from "./PasswordField";
import { isEmail, passwordProblem } from "./password";

export default function SetUpPage() {
  const [, go] = useLocation();
  // The token stands behind the `#`, which browsers send to nobody; from here on it is in no address at all.
  const [given] = useState(() => new URLSearchParams(window.location.hash.slice(1)).get("token") ?? "");
  const [token, setToken] = useState(given);
  const [firstName, setFirstName] = useState("");
  const [lastName, setLastName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [asked, setAsked] = useState(false);
  const task = useTask();
  const came = given !== "";
  useEffect(() => {
    window.history.replaceState(window.history.state, "", window.location.pathname);
  }, []);
  const submit = async () => {
    setAsked(true);
    if (token.trim() === "" || !isEmail(email) || passwordProblem(password)) return;
    const done = await task.run(() =>
      setUp({ token: token.trim(), email: email.trim(), password, firstName: firstName.trim(), lastName: lastName.trim() }),
    );
    if (done) go("/workflows", { replace: true });
  };
  return (
    <EntryPage
      title="Set up Heddle"
      text="You are the first one here. Make the account that owns this instance; everyone else is invited by you."
      action="Create account"
      busy={task.busy}
      error={task.error}
      onSubmit={submit}
    >
      {!came && (
        <Field
          label="Set-up token"
          required
          error={asked && token.trim() === "" ? "The token is needed." : undefined}
          hint="Heddle prints it in the terminal where it was started, as long as there is no owner."
        >
          <Input value={token} onChange={(event) => setToken(event.target.value)} autoFocus autoComplete="off" />
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
        label="E-mail"
        required
        error={asked && !isEmail(email) ? "This is no e-mail address." : undefined}
        hint="Your name for signing in. No mail is sent."
      >
        <Input type="email" value={email} onChange={(event) => setEmail(event.target.value)} autoComplete="username" required />
      </Field>
      <PasswordField value={password} onChange={setPassword} asked={asked} />
    </EntryPage>
  );
}
