/** One parameter, drawn by its kind. */

import { RotateCcw, Sparkles } from "lucide-react";
import { useState } from "react";
import { cachedResult } from "../expression/usePreview";
import {
  isExpression,
  type Json,
  type JsonObject,
  type Param,
  type ParamPath,
} from "../graph/json";
import { toExpression, toFixedValue } from "../graph/template";
import { currentValue } from "../graph/visibleParams";
import { useForm } from "../store/formContext";
import type { MenuItem } from "../ui";
import { AssignmentsField } from "./AssignmentsField";
import { CollectionField } from "./CollectionField";
import css from "./Field.module.css";
import { FieldFrame } from "./FieldFrame";
import { FilterField } from "./FilterField";
import { canModelDecide, fromAiExpression } from "./fromAi";
import { GroupsField } from "./GroupsField";
import { LocatorField } from "./LocatorField";
import { listSource } from "./locator";
import { MapperField } from "./MapperField";
import { findProblem } from "./paramProblems";
import { ValueInput } from "./ValueInput";

export interface ParamFieldProps {
  param: Param;
  /** The stored values among which this parameter stands. */
  values: JsonObject;
  path: ParamPath;
}

export function ParamField({ param, values, path }: ParamFieldProps) {
  const { change } = useForm();
  const value = currentValue(param, values);
  const set = (next: Json | undefined) => change(path, next, `Change ${param.label}`);
  const structured = { param, value, onChange: set };
  // A whole structure may be computed as well; then it is an expression like any other.
  if (isExpression(value) && !param.noExpression)
    return <SimpleField param={param} values={values} path={path} />;
  switch (param.kind.type) {
    case "notice":
      return <p className={css.notice}>{param.help}</p>;
    case "hidden":
      return null;
    case "collection":
      return (
        <CollectionField
          param={param}
          options={param.kind.params}
          value={value}
          onChange={set}
          path={path}
        />
      );
    case "groups":
      return (
        <GroupsField
          param={param}
          groups={param.kind.groups}
          multiple={param.kind.multiple}
          value={value}
          onChange={set}
          path={path}
        />
      );
    case "filter":
      return <FilterField {...structured} />;
    case "assignments":
      return <AssignmentsField {...structured} />;
    case "mapper":
      return <MapperField {...structured} />;
    case "locator":
      return <LocatorField {...structured} modes={param.kind.modes} />;
    default:
      return <SimpleField param={param} values={values} path={path} />;
  }
}

/** Text, numbers, choices and the like: fixed, or computed by an expression. */
function SimpleField({ param, values, path }: ParamFieldProps) {
  const { change, readOnly, failed, node, item, runIndex, type, isTool } = useForm();
  const [touched, setTouched] = useState(false);
  const value = currentValue(param, values);
  const computed = !param.noExpression && isExpression(value);
  const what = `Change ${param.label}`;
  const set = (next: Json | undefined) => change(path, next, what);
  const onMode = (mode: "fixed" | "expression") => {
    if (mode === "expression") set(toExpression(value));
    else if (computed)
      set(
        toFixedValue(
          value,
          param.kind.type,
          cachedResult(node, value, item, runIndex),
          param.default as Json | undefined,
        ),
      );
  };
  const menu: MenuItem[] = readOnly
    ? []
    : [
        ...(isTool && !param.noExpression && canModelDecide(type, path, param)
          ? [
              {
                label: "Let the model decide",
                icon: Sparkles,
                onSelect: () => set(fromAiExpression(param)),
              },
            ]
          : []),
        ...(param.name in values
          ? [{ label: "Reset to default", icon: RotateCcw, onSelect: () => set(undefined) }]
          : []),
      ];
  const problem = findProblem(param, value, path, touched, failed);
  const frame = {
    label: param.label,
    help: param.help,
    required: param.required,
    error: problem,
    menu,
    ...(param.noExpression || readOnly
      ? {}
      : { mode: computed ? ("expression" as const) : ("fixed" as const), onMode }),
  };
  const control = (
    <ValueInput
      value={value}
      onChange={set}
      label={param.label}
      kind={param.kind}
      noExpression={param.noExpression}
      suggests={
        param.kind.type === "text" && path.length === 1
          ? listSource(type?.id ?? "", param.name)
          : undefined
      }
      invalid={problem !== null}
      onBlur={() => setTouched(true)}
    />
  );
  if (param.kind.type === "flag" && !computed) return <FieldFrame {...frame} inline={control} />;
  return <FieldFrame {...frame}>{control}</FieldFrame>;
}
