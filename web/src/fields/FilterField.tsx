/** Conditions joined by and/or: two values with an operator between that knows their type. */

import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { isObject, type Json, type Param, type ParamKind } from "../graph/json";
import { newId } from "../graph/nodeNames";
import { moveInList } from "../graph/paramPath";
import { useForm } from "../store/formContext";
import { Button, IconButton, Select } from "../ui";
import css from "./Field.module.css";
import { FieldFrame } from "./FieldFrame";
import {
  type Condition,
  createCondition,
  createFilterOptions,
  type Filter,
  findOperator,
  OPERATORS,
  parseTyped,
  readFilter,
  replaceCondition,
  TYPE_LABELS,
  type ValueType,
  withDroppedField,
  withOperator,
} from "./filter";
import { useFocusNewEntry } from "./useFocusNewEntry";
import { ValueInput } from "./ValueInput";

interface FilterFieldProps {
  param: Param;
  value: Json | undefined;
  onChange: (value: Json) => void;
}

const OPERATOR_OPTIONS = OPERATORS.map((operator) => ({
  value: `${operator.type}:${operator.operation}`,
  label: operator.label,
  group: TYPE_LABELS[operator.type],
}));

export function FilterField({ param, value, onChange }: FilterFieldProps) {
  const { readOnly, version, top } = useForm();
  const options = isObject(top.options) ? top.options : {};
  const loose = top.looseTypeValidation === true || options.looseTypeValidation === true;
  const [firstId] = useState(newId);
  const isNew = !isObject(value) || !Array.isArray(value.conditions);
  const stored = readFilter(
    value,
    createFilterOptions(version, loose, options.ignoreCase === true),
  );
  // A filter that nobody has touched has one condition to fill in, which is stored with its first change.
  const filter =
    isNew && !readOnly ? { ...stored, conditions: [createCondition(firstId)] } : stored;
  const write = (next: Filter) => onChange(next as unknown as Json);
  const { list, focusWhenAdded } = useFocusNewEntry();
  const add = () => {
    const id = newId();
    focusWhenAdded(id);
    write({ ...filter, conditions: [...filter.conditions, createCondition(id)] });
  };
  return (
    <FieldFrame label={param.label} help={param.help} required={param.required}>
      <div className={css.rows} ref={list}>
        {filter.conditions.map((condition, at) => (
          <div key={condition.id || at} className={css.rows}>
            {at > 0 && (
              <div className={css.joined}>
                <Select
                  dense
                  value={filter.combinator}
                  onChange={(next) =>
                    write({ ...filter, combinator: next === "or" ? "or" : "and" })
                  }
                  options={[
                    { value: "and", label: "and" },
                    { value: "or", label: "or" },
                  ]}
                  label="Combine conditions with"
                  disabled={readOnly}
                />
              </div>
            )}
            <div className={css.row} data-entry={condition.id}>
              <ConditionFields
                condition={condition}
                at={at}
                onChange={(next) => write(replaceCondition(filter, at, next))}
              />
              {!readOnly && (
                <div className={css.rowActions}>
                  <IconButton
                    icon={Trash2}
                    label={`Remove condition ${at + 1}`}
                    size="small"
                    onClick={() =>
                      write({
                        ...filter,
                        conditions: filter.conditions.filter((_, index) => index !== at),
                      })
                    }
                  />
                  {at > 0 && (
                    <IconButton
                      icon={ArrowUp}
                      label={`Move condition ${at + 1} up`}
                      size="small"
                      onClick={() =>
                        write({ ...filter, conditions: moveInList(filter.conditions, at, at - 1) })
                      }
                    />
                  )}
                  {at < filter.conditions.length - 1 && (
                    <IconButton
                      icon={ArrowDown}
                      label={`Move condition ${at + 1} down`}
                      size="small"
                      onClick={() =>
                        write({ ...filter, conditions: moveInList(filter.conditions, at, at + 1) })
                      }
                    />
                  )}
                </div>
              )}
            </div>
          </div>
        ))}
        {filter.conditions.length === 0 && readOnly && (
          <p className={css.small}>No conditions. All items pass.</p>
        )}
        {!readOnly && (
          <Button kind="quiet" size="small" icon={Plus} className={css.add} onClick={add}>
            Add condition
          </Button>
        )}
      </div>
    </FieldFrame>
  );
}

const TYPE_MARKS: Record<ValueType, string> = {
  string: "Aa",
  number: "#",
  dateTime: "12:00",
  boolean: "T/F",
  array: "[ ]",
  object: "{ }",
};
const TEXT: ParamKind = { type: "text" };

function ConditionFields({
  condition,
  at,
  onChange,
}: {
  condition: Condition;
  at: number;
  onChange: (condition: Condition) => void;
}) {
  const { readOnly } = useForm();
  const { type, operation } = condition.operator;
  const operator = findOperator(type, operation);
  const rightType = operator?.rightType ?? type;
  const known = operator
    ? OPERATOR_OPTIONS
    : [...OPERATOR_OPTIONS, { value: `${type}:${operation}`, label: operation, group: type }];
  // What was left as it was typed becomes a value of its type once the field is left.
  const settle = (side: "leftValue" | "rightValue", as: string) => {
    const value = condition[side];
    const settled = typeof value === "string" ? parseTyped(value, as) : value;
    if (settled !== value) onChange({ ...condition, [side]: settled });
  };
  const fixed = (value: Json): string =>
    typeof value === "string" ? value : JSON.stringify(value);
  return (
    <div className={css.rowFields}>
      <ValueInput
        mini
        value={fixed(condition.leftValue)}
        onChange={(next) =>
          onChange({ ...condition, leftValue: parseTyped(String(next), type, true) })
        }
        onDropField={(expression, field) =>
          onChange(withDroppedField(condition, expression, field.sample))
        }
        onBlur={() => settle("leftValue", type)}
        label={`First value of condition ${at + 1}`}
        placeholder="Value or drop a field"
        replaces={type !== "string"}
        kind={TEXT}
      />
      <div className={css.operator}>
        <span className={css.type} title={TYPE_LABELS[type as ValueType] ?? type}>
          {TYPE_MARKS[type as ValueType] ?? "?"}
        </span>
        <Select
          value={`${type}:${operation}`}
          onChange={(next) => {
            const [nextType = "string", nextOperation = "equals"] = next.split(":");
            onChange(withOperator(condition, nextType, nextOperation));
          }}
          options={known}
          label={`Operator of condition ${at + 1}`}
          disabled={readOnly}
        />
      </div>
      {!operator?.single && (
        <ValueInput
          mini
          value={fixed(condition.rightValue)}
          onChange={(next) =>
            onChange({ ...condition, rightValue: parseTyped(String(next), rightType, true) })
          }
          onBlur={() => settle("rightValue", rightType)}
          label={`Second value of condition ${at + 1}`}
          placeholder="Value"
          replaces={rightType !== "string"}
          kind={TEXT}
        />
      )}
    </div>
  );
}
