// On or off at once (Switch), or as part of a form (Checkbox).
import { Check } from "lucide-react";
import { Checkbox as RadixCheckbox, Switch as RadixSwitch } from "radix-ui";
import type { ReactNode } from "react";
import css from "./Switch.module.css";

interface SwitchProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  label: string;
  disabled?: boolean;
}

export function Switch({ checked, onChange, label, disabled }: SwitchProps) {
  return (
    <RadixSwitch.Root
      className={css.switch}
      checked={checked}
      onCheckedChange={onChange}
      aria-label={label}
      disabled={disabled}
    >
      <RadixSwitch.Thumb className={css.thumb} />
    </RadixSwitch.Root>
  );
}

interface CheckboxProps {
  checked: boolean | "indeterminate";
  onChange: (checked: boolean) => void;
  label: ReactNode;
  /** The label is only for those who cannot see the table the box stands in. */
  hideLabel?: boolean;
  disabled?: boolean;
}

export function Checkbox({ checked, onChange, label, hideLabel, disabled }: CheckboxProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is inside.
    <label className={css.checkbox}>
      <RadixCheckbox.Root
        className={css.box}
        checked={checked}
        onCheckedChange={(now) => onChange(now === true)}
        disabled={disabled}
      >
        <RadixCheckbox.Indicator className={css.tick}>
          {checked === "indeterminate" ? (
            <span className={css.some} />
          ) : (
            <Check size={12} strokeWidth={3} aria-hidden />
          )}
        </RadixCheckbox.Indicator>
      </RadixCheckbox.Root>
      <span className={hideLabel ? "visually-hidden" : undefined}>{label}</span>
    </label>
  );
}
