/** Several of some choices: what is chosen in words, and a list of boxes behind it. */

import { ChevronDown } from "lucide-react";
import type { Json, ParamChoice } from "../graph/json";
import { Checkbox, Popover } from "../ui";
import { choiceKey } from "./controlValues";
import css from "./Field.module.css";

interface MultiSelectProps {
  value: Json | undefined;
  onChange: (value: Json) => void;
  options: readonly ParamChoice[];
  label: string;
  disabled?: boolean;
}

export function MultiSelect({ value, onChange, options, label, disabled }: MultiSelectProps) {
  const chosen = new Set((Array.isArray(value) ? value : []).map(choiceKey));
  const words = options
    .filter((option) => chosen.has(choiceKey(option.value)))
    .map((option) => option.label);
  const set = (option: ParamChoice, on: boolean) => {
    const rest = (Array.isArray(value) ? value : []).filter(
      (one) => choiceKey(one) !== choiceKey(option.value),
    );
    onChange(on ? [...rest, option.value as Json] : rest);
  };
  const summary = words.length === 0 ? "None selected" : words.join(", ");
  return (
    <Popover
      trigger={
        <button
          type="button"
          className={css.multi}
          aria-label={`${label}: ${summary}`}
          disabled={disabled}
        >
          <span>{summary}</span>
          <ChevronDown size={14} aria-hidden />
        </button>
      }
    >
      <div className={css.boxes} role="group" aria-label={label}>
        {options.map((option) => (
          <Checkbox
            key={choiceKey(option.value)}
            checked={chosen.has(choiceKey(option.value))}
            onChange={(on) => set(option, on)}
            label={option.label}
          />
        ))}
      </div>
    </Popover>
  );
}
