/** Who one is here, what of it can be changed, and how the editor looks. */
import { LogOut, Monitor, Moon, Sun } from "lucide-react";
import { useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { signOut, useMe } from "../../api/session";
import layout from "../../shared/layout.module.css";
import { getThemeChoice, onThemeChange, setThemeChoice, type ThemeChoice } from "../../theme/theme";
import { Button, cx, tryAction } from "../../ui";
import { EmailForm, NameForm, PasswordForm } from "./AccountForms";
import { OidcSettings } from "./OidcSettings";
import styles from "./Settings.module.css";
import { TwoFactorSettings } from "./TwoFactorSettings";
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
      {me.data && (
        <>
          <NameForm key={`${me.data.firstName} ${me.data.lastName}`} me={me.data} />
          <EmailForm key={me.data.email} me={me.data} />
        </>
      )}
      <PasswordForm />
      <TwoFactorSettings />
      <OidcSettings />
    </div>
  );
}
