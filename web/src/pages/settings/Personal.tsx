/** Who one is here, the password, and how the editor looks. */
import { LogOut, Monitor, Moon, Sun } from "lucide-react";
import { useState, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { api, queryClient } from "../../api/client";
import { signOut, useMe } from "../../api/session";
import { type Choice, chooseTheme, chosenTheme, onTheme } from "../../theme/theme";
import { attempt, Button, cx, Field, Input, Problem, toast, useTask } from "../../ui";
import layout from "../layout.module.css";
import { PasswordField } from "../setup/PasswordField";
import { passwordProblem } from "../setup/password";
import { ROLE_WORDS } from "./peopleData";
import styles from "./Settings.module.css";

const THEMES: { value: Choice; label: string; icon: typeof Sun }[] = [
  { value: "system", label: "As the system", icon: Monitor },
  { value: "light", label: "Light", icon: Sun },
  { value: "dark", label: "Dark", icon: Moon },
];

export function Personal() {
  const me = useMe();
  const theme = useSyncExternalStore(onTheme, chosenTheme);
  const [, go] = useLocation();
  const name = [me.data?.firstName, me.data?.lastName].filter(Boolean).join(" ");
  return (
    <div className={styles.narrow}>
      <section className={layout.card} aria-label="Account">
        <h2 className={layout.cardTitle}>Account</h2>
        <div className={layout.row}>
          <div className={layout.fill}>
            <div className={layout.name}>{name || me.data?.email}</div>
            <div className={layout.quiet}>
              {name && `${me.data?.email} · `}
              {ROLE_WORDS[me.data?.role ?? ""] ?? me.data?.role}
            </div>
          </div>
          <Button icon={LogOut} onClick={() => void attempt(async () => (await signOut()) && go("/signin"))}>
            Sign out
          </Button>
        </div>
      </section>
      <section className={layout.card} aria-label="Look">
        <h2 className={layout.cardTitle}>Look</h2>
        <div className={styles.themes} role="radiogroup" aria-label="Theme">
          {THEMES.map(({ value, label, icon: Icon }) => (
            <button
              key={value}
              type="button"
              role="radio"
              aria-checked={theme === value}
              className={cx(styles.theme, theme === value && styles.chosen)}
              onClick={() => chooseTheme(value)}
            >
              <Icon size={16} aria-hidden /> {label}
            </button>
          ))}
        </div>
      </section>
      <Password />
    </div>
  );
}

function Password() {
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const [asked, setAsked] = useState(false);
  const task = useTask();
  const save = async () => {
    setAsked(true);
    if (current === "" || passwordProblem(password)) return;
    const done = await task.run(async () => {
      await api.raw("POST", "/api/me/password", { body: { currentPassword: current, password } });
      // The session is a new one, with a token of its own.
      await queryClient.refetchQueries({ queryKey: ["me"] });
    });
    if (!done) return;
    setCurrent("");
    setPassword("");
    setAsked(false);
    toast({ text: "The password was changed. You are signed out everywhere else.", tone: "good" });
  };
  return (
    <section className={layout.card} aria-label="Password">
      <h2 className={layout.cardTitle}>Password</h2>
      <form
        className={layout.stack}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label="Current password" error={asked && current === "" ? "The current password is needed." : undefined}>
          <Input
            type="password"
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
            autoComplete="current-password"
          />
        </Field>
        <PasswordField label="New password" value={password} onChange={setPassword} asked={asked} />
        {Boolean(task.error) && <Problem error={task.error} />}
        <div>
          <Button kind="primary" type="submit" busy={task.busy}>
            Change password
          </Button>
        </div>
      </form>
    </section>
  );
}
