/** Who one is here, the password, and how the editor looks. */
import { LogOut, Monitor, Moon, Sun } from "lucide-react";
import { useState, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { api, queryClient } from "../../api/client";
import type { PasswordInput } from "../../api/generated";
import { signOut, useMe } from "../../api/session";
import layout from "../../shared/layout.module.css";
import { getThemeChoice, onThemeChange, setThemeChoice, type ThemeChoice } from "../../theme/theme";
import {
  Button,
  cx,
  ErrorState,
  Field,
  FormSubmitted,
  Input,
  toast,
  tryAction,
  useSubmit,
} from "../../ui";
import { PasswordField } from "../setup/PasswordField";
import { passwordProblem } from "../setup/password";
import styles from "./Settings.module.css";
import { ROLE_LABELS } from "./userApi";

const THEMES: { value: ThemeChoice; label: string; icon: typeof Sun }[] = [
  { value: "system", label: "System", icon: Monitor },
  { value: "light", label: "Light", icon: Sun },
  { value: "dark", label: "Dark", icon: Moon },
];

export function PersonalSettings() {
  const me = useMe();
  const theme = useSyncExternalStore(onThemeChange, getThemeChoice);
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
              {ROLE_LABELS[me.data?.role ?? ""] ?? me.data?.role}
            </div>
          </div>
          <Button
            icon={LogOut}
            onClick={() => void tryAction(async () => (await signOut()) && go("/signin"))}
          >
            Sign out
          </Button>
        </div>
      </section>
      <section className={layout.card} aria-label="Appearance">
        <h2 className={layout.cardTitle}>Appearance</h2>
        <div className={styles.themes} role="radiogroup" aria-label="Theme">
          {THEMES.map(({ value, label, icon: Icon }) => (
            <button
              key={value}
              type="button"
              role="radio"
              aria-checked={theme === value}
              className={cx(styles.theme, theme === value && styles.chosen)}
              onClick={() => setThemeChoice(value)}
            >
              <Icon size={16} aria-hidden /> {label}
            </button>
          ))}
        </div>
      </section>
      <PasswordForm />
    </div>
  );
}

function PasswordForm() {
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const save = async () => {
    const body: PasswordInput = { currentPassword: current, password };
    await api.raw("POST", "/api/me/password", { body });
    // The session is a new one, with a token of its own.
    await queryClient.refetchQueries({ queryKey: ["me"] });
    setCurrent("");
    setPassword("");
    toast({ text: "Password changed. All other sessions were signed out.", tone: "good" });
  };
  const invalid = current === "" || Boolean(passwordProblem(password));
  const { isSubmitted, busy, error, submit } = useSubmit({ invalid, onSubmit: save });
  return (
    <section className={layout.card} aria-label="Password">
      <h2 className={layout.cardTitle}>Password</h2>
      <form className={layout.stack} onSubmit={submit}>
        <FormSubmitted value={isSubmitted}>
          <Field
            label="Current password"
            problem={current === "" ? "Enter your current password." : undefined}
          >
            <Input
              type="password"
              value={current}
              onChange={(event) => setCurrent(event.target.value)}
              autoComplete="current-password"
            />
          </Field>
          <PasswordField label="New password" value={password} onChange={setPassword} />
        </FormSubmitted>
        {Boolean(error) && <ErrorState error={error} />}
        <div>
          <Button kind="primary" type="submit" busy={busy}>
            Change password
          </Button>
        </div>
      </form>
    </section>
  );
}
