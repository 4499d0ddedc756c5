/** The code of an authenticator app, or a recovery code. */
import { Field, Input } from "../../ui";

interface Props {
  value: string;
  onChange: (code: string) => void;
  /** While there are no recovery codes yet. */
  isFirst?: boolean;
  autoFocus?: boolean;
}

export function CodeField({ value, onChange, isFirst, autoFocus }: Props) {
  return (
    <Field
      label="Code"
      hint={
        isFirst
          ? "Six digits that the app shows."
          : "Six digits from your authenticator app, or a recovery code."
      }
      required
      problem={value.trim() === "" ? "Enter the code." : undefined}
    >
      <Input
        value={value}
        onChange={(event) => onChange(event.target.value)}
        autoComplete="one-time-code"
        inputMode="text"
        spellCheck={false}
        maxLength={64}
        autoFocus={autoFocus}
      />
    </Field>
  );
}
