/** A field for a new password, with how good it is. */
import { Field, Input } from "../../ui";
import styles from "./AuthPage.module.css";
import { passwordProblem, passwordStrength } from "./password";

interface Props {
  value: string;
  onChange: (password: string) => void;
  label?: string;
}

const STRENGTH_LABELS = { weak: "Weak", fair: "Fair", good: "Good" };
const BARS = { weak: 1, fair: 2, good: 3 };

export function PasswordField({ value, onChange, label = "Password" }: Props) {
  const level = passwordStrength(value);
  return (
    <div>
      <Field
        label={label}
        required
        problem={passwordProblem(value)}
        hint={value ? STRENGTH_LABELS[level] : "At least 8 characters. A passphrase works well."}
      >
        <Input
          type="password"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          autoComplete="new-password"
          required
        />
      </Field>
      {value !== "" && (
        <div className={styles.strength} aria-hidden>
          {[1, 2, 3].map((bar) => (
            <span key={bar} data-on={bar <= BARS[level] ? level : undefined} />
          ))}
        </div>
      )}
    </div>
  );
}
