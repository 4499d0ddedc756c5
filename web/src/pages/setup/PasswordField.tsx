/** A field for a new password, with how good it is. */
import { Field, Input } from "../../ui";
import styles from "./entry.module.css";
import { passwordProblem, strength } from "./password";

interface Props {
  value: string;
  onChange: (password: string) => void;
  label?: string;
  /** The form was sent: say what is missing. */
  asked: boolean;
}

const WORDS = { weak: "Easy to guess", fair: "Fair", good: "Good" };
const BARS = { weak: 1, fair: 2, good: 3 };

export function PasswordField({ value, onChange, label = "Password", asked }: Props) {
  const level = strength(value);
  return (
    <div>
      <Field
        label={label}
        required
        error={asked ? passwordProblem(value) : undefined}
        hint={value ? WORDS[level] : "At least eight letters; a sentence is a good one."}
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
