/** A thing chosen from a list, by id, by name or by URL. */

import { RefreshCw } from "lucide-react";
import { queryClient } from "../api/client";
import { isExpression, type Json, type Param, type ParamKind } from "../graph/json";
import { toExpression, toFixedValue } from "../graph/template";
import { useForm } from "../store/formContext";
import { IconButton, Select } from "../ui";
import css from "./Field.module.css";
import { FieldFrame } from "./FieldFrame";
import {
  type Locator,
  listSource,
  MODE_LABELS,
  readLocator,
  withMode,
  writeLocator,
} from "./locator";
import { useRemoteList } from "./remoteLists";
import { ValueInput } from "./ValueInput";

interface LocatorFieldProps {
  param: Param;
  value: Json | undefined;
  onChange: (value: Json) => void;
  modes: readonly string[];
}

const TEXT: ParamKind = { type: "text" };

export function LocatorField({ param, value, onChange, modes }: LocatorFieldProps) {
  const { type, readOnly } = useForm();
  const locator = readLocator(value, modes);
  const source = listSource(type?.id ?? "", param.name);
  const computed = isExpression(locator.value);
  const write = (next: Locator) => onChange(writeLocator(next));
  const offered = modes.includes(locator.mode) ? modes : [...modes, locator.mode];
  const onMode = (mode: "fixed" | "expression") => {
    const text = typeof locator.value === "string" ? locator.value : "";
    if (mode === "expression")
      write({ mode: locator.mode === "list" ? "id" : locator.mode, value: toExpression(text) });
    else write({ ...locator, value: toFixedValue(text, "text", undefined, "") ?? "" });
  };
  return (
    <FieldFrame
      label={param.label}
      help={param.help}
      required={param.required}
      {...(readOnly
        ? {}
        : { mode: computed ? ("expression" as const) : ("fixed" as const), onMode })}
    >
      <div className={css.locator}>
        <Select
          value={locator.mode}
          onChange={(mode) => write(withMode(locator, mode))}
          options={offered.map((mode) => ({ value: mode, label: MODE_LABELS[mode] ?? mode }))}
          label={`Select ${param.label} by`}
          disabled={readOnly}
        />
        {locator.mode === "list" && source && !computed ? (
          <ListSelect locator={locator} source={source} label={param.label} onChange={write} />
        ) : (
          <ValueInput
            value={locator.value}
            onChange={(next) => write({ mode: locator.mode, value: next })}
            label={param.label}
            kind={TEXT}
            placeholder={
              locator.mode === "url"
                ? "https://…"
                : locator.mode === "list"
                  ? "Name"
                  : locator.mode === "name"
                    ? "Name"
                    : "ID"
            }
          />
        )}
      </div>
    </FieldFrame>
  );
}

interface ListSelectProps {
  locator: Locator;
  source: NonNullable<ReturnType<typeof listSource>>;
  label: string;
  onChange: (locator: Locator) => void;
}

function ListSelect({ locator, source, label, onChange }: ListSelectProps) {
  const { readOnly } = useForm();
  const { entries, message, isPending, error } = useRemoteList(source);
  const chosen = typeof locator.value === "string" ? locator.value : String(locator.value ?? "");
  const known = entries.some((entry) => entry.value === chosen);
  // What was chosen stays in sight also when the list cannot be had.
  const options =
    chosen !== "" && !known
      ? [{ value: chosen, label: locator.cachedResultName ?? chosen }, ...entries]
      : entries;
  const say = error?.message ?? message;
  return (
    <div>
      <div className={css.beside}>
        <Select
          value={chosen || undefined}
          onChange={(next) => {
            const entry = entries.find((one) => one.value === next);
            onChange({ mode: "list", value: next, cachedResultName: entry?.label ?? next });
          }}
          options={options}
          label={label}
          placeholder={isPending ? "Loading…" : entries.length === 0 ? "No options" : "Select…"}
          disabled={readOnly}
        />
        <IconButton
          icon={RefreshCw}
          label={`Refresh ${label}`}
          size="small"
          onClick={() => void queryClient.invalidateQueries({ queryKey: ["list", source] })}
        />
      </div>
      {say && <p className={css.small}>{say}</p>}
    </div>
  );
}
