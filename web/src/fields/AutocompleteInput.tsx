/** A text with suggestions from a list of the server; anything else may be typed as well. */

import { useId } from "react";
import { useForm } from "../store/formContext";
import { Input } from "../ui";
import type { ListSource } from "./locator";
import { useRemoteList } from "./remoteLists";

interface AutocompleteInputProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
  source: ListSource;
  invalid?: boolean;
}

export function AutocompleteInput({
  value,
  onChange,
  label,
  source,
  invalid,
}: AutocompleteInputProps) {
  const { readOnly } = useForm();
  const { entries } = useRemoteList(source);
  const id = useId();
  return (
    <>
      <Input
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-label={label}
        list={entries.length > 0 ? id : undefined}
        autoComplete="off"
        invalid={invalid}
        disabled={readOnly}
      />
      <datalist id={id}>
        {entries.map((entry) => (
          <option key={entry.value} value={entry.value} />
        ))}
      </datalist>
    </>
  );
}
