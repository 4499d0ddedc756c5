/** The control for a fixed value of each simple kind. */

import { lazy, Suspense } from "react";
import type { Json, ParamKind } from "../graph/json";
import { useForm } from "../store/formContext";
import { Input, NumberInput, Select, Switch, TextArea } from "../ui";
import { AutocompleteInput } from "./AutocompleteInput";
import { CredentialTypeSelect } from "./CredentialTypeSelect";
import { choiceKey, choiceValue, isLocalDateTime, toNumber, toText } from "./controlValues";
import css from "./Field.module.css";
import type { ListSource } from "./locator";
import { MultiSelect } from "./MultiSelect";

const CodeField = lazy(() => import("./CodeField"));

interface FixedControlProps {
  value: Json | undefined;
  onChange: (value: Json) => void;
  label: string;
  kind: ParamKind;
  invalid?: boolean;
  placeholder?: string;
  /** A list whose entries are offered while a text is typed. */
  suggests?: ListSource;
}

export function FixedControl({
  value,
  onChange,
  label,
  kind,
  invalid,
  placeholder,
  suggests,
}: FixedControlProps) {
  const { readOnly } = useForm();
  const text = toText(value);
  switch (kind.type) {
    case "number":
      return (
        <NumberInput
          value={toNumber(value)}
          onChange={(next) => onChange(next ?? "")}
          min={kind.min ?? undefined}
          max={kind.max ?? undefined}
          step="any"
          aria-label={label}
          invalid={invalid}
          disabled={readOnly}
        />
      );
    case "flag":
      return (
        <Switch checked={value === true} onChange={onChange} label={label} disabled={readOnly} />
      );
    case "choice": {
      const options = kind.options.map((option) => ({
        value: choiceKey(option.value),
        label: option.label,
        ...(option.help !== "" && { hint: option.help }),
      }));
      const key = value === undefined || value === "" ? undefined : choiceKey(value);
      const known = key === undefined || options.some((option) => option.value === key);
      const all = known
        ? options
        : [...options, { value: key, label: text, hint: "Not in the list" }];
      return (
        <Select
          value={key}
          onChange={(next) => onChange(choiceValue(next))}
          options={all}
          label={label}
          disabled={readOnly}
        />
      );
    }
    case "multiChoice":
      return (
        <MultiSelect
          value={value}
          onChange={onChange}
          options={kind.options}
          label={label}
          disabled={readOnly}
        />
      );
    case "longText":
      return (
        <TextArea
          value={text}
          onChange={(event) => onChange(event.target.value)}
          aria-label={label}
          invalid={invalid}
          placeholder={placeholder}
          disabled={readOnly}
          rows={Math.min(16, Math.max(3, text.split("\n").length + 1))}
        />
      );
    case "json":
    case "code":
      return (
        <Suspense fallback={<pre className={css.codeWaiting}>{text}</pre>}>
          <CodeField
            value={text}
            onChange={onChange}
            label={label}
            language={"language" in kind ? kind.language : "json"}
            invalid={invalid}
          />
        </Suspense>
      );
    case "dateTime":
      return (
        <Input
          type={text === "" || isLocalDateTime(text) ? "datetime-local" : "text"}
          step={1}
          value={text}
          onChange={(event) => onChange(event.target.value)}
          aria-label={label}
          invalid={invalid}
          disabled={readOnly}
        />
      );
    case "color":
      return (
        <span className={css.color}>
          <input
            type="color"
            value={/^#[\da-f]{6}$/i.test(text) ? text : "#808080"}
            onChange={(event) => onChange(event.target.value)}
            aria-label={`${label}: select`}
            disabled={readOnly}
          />
          <Input
            value={text}
            onChange={(event) => onChange(event.target.value)}
            aria-label={label}
            disabled={readOnly}
          />
        </span>
      );
    case "credentialKind":
      return <CredentialTypeSelect value={text} onChange={onChange} label={label} />;
    default:
      if (suggests)
        return (
          <AutocompleteInput
            value={text}
            onChange={onChange}
            label={label}
            source={suggests}
            invalid={invalid}
          />
        );
      return (
        <Input
          type={kind.type === "secret" ? "password" : "text"}
          autoComplete={kind.type === "secret" ? "new-password" : "off"}
          value={text}
          onChange={(event) => onChange(event.target.value)}
          aria-label={label}
          invalid={invalid}
          placeholder={placeholder}
          disabled={readOnly}
        />
      );
  }
}
