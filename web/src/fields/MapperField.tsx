/** Columns of a table with a value each, or all fields of the item as they are. */

import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Json, Param, ParamKind } from "../graph/json";
import { useForm } from "../store/formContext";
import { Button, Checkbox, IconButton, Input, Menu, Select } from "../ui";
import css from "./Field.module.css";
import { FieldFrame } from "./FieldFrame";
import {
  knownColumns,
  type Mapping,
  readMapping,
  removeColumn,
  renameColumn,
  setColumn,
  writeMapping,
} from "./mapper";
import { useTableColumns } from "./remoteLists";
import { ValueInput } from "./ValueInput";

interface MapperFieldProps {
  param: Param;
  value: Json | undefined;
  onChange: (value: Json) => void;
}

const TEXT: ParamKind = { type: "text" };

export function MapperField({ param, value, onChange }: MapperFieldProps) {
  const { readOnly, top } = useForm();
  const mapping = readMapping(value);
  const fromTable = useTableColumns(top);
  const columns = [...new Set([...fromTable, ...knownColumns(mapping)])];
  const free = columns.filter((column) => !mapping.values.some(([name]) => name === column));
  const write = (next: Mapping) => onChange(writeMapping(next));
  const matches = top.operation === "update" || top.operation === "upsert";
  const empty = mapping.values.some(([name]) => name === "");
  return (
    <FieldFrame label={param.label} help={param.help} required={param.required}>
      <div className={css.rows}>
        <Select
          value={mapping.mode}
          onChange={(mode) => write({ ...mapping, mode: mode as Mapping["mode"] })}
          options={[
            { value: "defineBelow", label: "Map each column manually" },
            {
              value: "autoMapInputData",
              label: "Map automatically",
              hint: "Item fields are written to columns with the same name",
            },
          ]}
          label={`Mapping mode for ${param.label}`}
          disabled={readOnly}
        />
        {mapping.mode === "defineBelow" &&
          mapping.values.map(([column, columnValue], at) => (
            <div key={at} className={css.row}>
              <div className={css.rowFields}>
                <ColumnName
                  name={column}
                  fixed={columns.includes(column)}
                  onRename={(to) => write(renameColumn(mapping, column, to))}
                />
                <ValueInput
                  mini
                  value={columnValue}
                  onChange={(next) => write(setColumn(mapping, column, next))}
                  label={`Value of ${column || "new column"}`}
                  placeholder="Value"
                  kind={TEXT}
                />
                {matches && (
                  <Checkbox
                    checked={mapping.matching.includes(column)}
                    onChange={(on) =>
                      write({
                        ...mapping,
                        matching: on
                          ? [...mapping.matching, column]
                          : mapping.matching.filter((one) => one !== column),
                      })
                    }
                    label="Match rows on this column"
                  />
                )}
              </div>
              {!readOnly && (
                <div className={css.rowActions}>
                  <IconButton
                    icon={Trash2}
                    label={`Remove ${column || "column"}`}
                    size="small"
                    onClick={() => write(removeColumn(mapping, column))}
                  />
                </div>
              )}
            </div>
          ))}
        {mapping.mode === "defineBelow" && !readOnly && free.length > 0 && (
          <Menu
            align="start"
            trigger={
              <Button kind="quiet" size="small" icon={Plus} className={css.add}>
                Add column
              </Button>
            }
            items={[
              ...free.map((column) => ({
                label: column,
                onSelect: () => write(setColumn(mapping, column, "")),
              })),
              null,
              {
                label: "Custom column…",
                disabled: empty,
                onSelect: () => write(setColumn(mapping, "", "")),
              },
            ]}
          />
        )}
        {mapping.mode === "defineBelow" && !readOnly && free.length === 0 && (
          <Button
            kind="quiet"
            size="small"
            icon={Plus}
            className={css.add}
            disabled={empty}
            onClick={() => write(setColumn(mapping, "", ""))}
          >
            Add column
          </Button>
        )}
      </div>
    </FieldFrame>
  );
}

/** The name is taken when it is complete: half a name may be that of another column. */
function ColumnName({
  name,
  fixed,
  onRename,
}: {
  name: string;
  fixed: boolean;
  onRename: (to: string) => void;
}) {
  const { readOnly } = useForm();
  const [typedName, setTypedName] = useState(name);
  if (fixed) return <span className={css.label}>{name}</span>;
  return (
    <Input
      value={typedName}
      onChange={(event) => setTypedName(event.target.value)}
      onBlur={() => typedName !== name && onRename(typedName)}
      onKeyDown={(event) => event.key === "Enter" && onRename(typedName)}
      aria-label="Column"
      placeholder="Column"
      disabled={readOnly}
    />
  );
}
