// Fields that take words or numbers, and the frame with a label around any field.
import { Search, X } from "lucide-react";
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
  useId,
} from "react";
import { cx } from "./cx";
import css from "./Input.module.css";
import { useFormSubmitted } from "./useSubmit";

interface InputProps extends InputHTMLAttributes<HTMLInputElement> {
  /** What was given cannot be taken. */
  invalid?: boolean;
  dense?: boolean;
  ref?: Ref<HTMLInputElement>;
}

export function Input({ invalid, dense, className, ...rest }: InputProps) {
  return (
    <input
      className={cx(css.input, dense && css.dense, className)}
      aria-invalid={invalid || undefined}
      spellCheck={false}
      {...rest}
    />
  );
}

interface NumberInputProps extends Omit<InputProps, "value" | "onChange"> {
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}

export function NumberInput({ value, onChange, ...rest }: NumberInputProps) {
  const read = (text: string) =>
    text.trim() === "" || Number.isNaN(Number(text)) ? undefined : Number(text);
  return (
    <Input
      type="number"
      value={value ?? ""}
      onChange={(event) => onChange(read(event.target.value))}
      {...rest}
    />
  );
}

interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  invalid?: boolean;
  mono?: boolean;
  ref?: Ref<HTMLTextAreaElement>;
}

export function TextArea({ invalid, mono, className, ...rest }: TextAreaProps) {
  return (
    <textarea
      className={cx(css.input, css.area, mono && css.mono, className)}
      aria-invalid={invalid || undefined}
      rows={4}
      {...rest}
    />
  );
}

interface SearchInputProps {
  value: string;
  onChange: (text: string) => void;
  placeholder?: string;
  label: string;
  autoFocus?: boolean;
  className?: string;
}

export function SearchInput({
  value,
  onChange,
  placeholder = "Search",
  label,
  autoFocus,
  className,
}: SearchInputProps) {
  return (
    <div className={cx(css.search, className)}>
      <Search size={14} aria-hidden />
      <input
        className={css.input}
        type="search"
        value={value}
        placeholder={placeholder}
        aria-label={label}
        autoFocus={autoFocus}
        onChange={(event) => onChange(event.target.value)}
      />
      {value && (
        <button type="button" aria-label="Clear search" onClick={() => onChange("")}>
          <X size={14} aria-hidden />
        </button>
      )}
    </div>
  );
}

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  /** An error that is said once the form has been sent. */
  problem?: ReactNode;
  required?: boolean;
  /** Shown at the right end of the label's line. */
  action?: ReactNode;
  children: ReactNode;
}

/** A label, a control and what is said about it. The control is inside the label, so it is named by it. */
export function Field({
  label,
  hint,
  error: given,
  problem,
  required,
  action,
  children,
}: FieldProps) {
  const id = useId();
  const isSubmitted = useFormSubmitted();
  const error = given || (isSubmitted && problem);
  return (
    <div className={css.field}>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the control is the child. */}
      <label className={css.named} aria-describedby={hint || error ? id : undefined}>
        <span className={css.label}>
          {label}
          {required && (
            <span className={css.required} aria-hidden>
              *
            </span>
          )}
        </span>
        {children}
      </label>
      {action && <span className={css.action}>{action}</span>}
      {(error || hint) && (
        <p
          id={id}
          className={cx(css.hint, Boolean(error) && css.error)}
          role={error ? "alert" : undefined}
        >
          {error || hint}
        </p>
      )}
    </div>
  );
}
