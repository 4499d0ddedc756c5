/** Fields to set, each with a name, a type and a value. Fields of the data dropped here become new ones. */

import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { type DragEvent, useState } from "react";
import { isFieldDrag, readDraggedField, useDraggedField } from "../data/fieldDrag";
import type { Json, Param, ParamKind } from "../graph/json";
import { newId } from "../graph/nodeNames";
import { moveInList } from "../graph/paramPath";
import { useForm } from "../store/formContext";
import { Button, cx, IconButton, Input, Select } from "../ui";
import {
  ASSIGNMENT_TYPES,
  type Assignment,
  type AssignmentType,
  newAssignment,
  readAssignments,
  retypeAssignment,
  typeOfSample,
  writeAssignments,
} from "./assignments";
import css from "./Field.module.css";
import { FieldFrame } from "./FieldFrame";
import { TYPE_LABELS } from "./filter";
import { useFocusNewEntry } from "./useFocusNewEntry";
import { ValueInput } from "./ValueInput";

interface AssignmentsFieldProps {
  param: Param;
  value: Json | undefined;
  onChange: (value: Json) => void;
}

const CONTROLS: Record<AssignmentType, ParamKind> = {
  string: { type: "text" },
  number: { type: "number", min: null, max: null },
  boolean: {
    type: "choice",
    options: [
      { value: true, label: "true", help: "" },
      { value: false, label: "false", help: "" },
    ],
  },
  array: { type: "json" },
  object: { type: "json" },
};

export function AssignmentsField({ param, value, onChange }: AssignmentsFieldProps) {
  const { readOnly } = useForm();
  const [over, setOver] = useState(false);
  const dragging = useDraggedField((state) => state.field !== null);
  const { list: rows, focusWhenAdded } = useFocusNewEntry();
  const list = readAssignments(value);
  const write = (next: Assignment[]) => onChange(writeAssignments(next));
  const replace = (at: number, entry: Assignment) =>
    write(list.map((one, index) => (index === at ? entry : one)));
  const onDrop = (event: DragEvent) => {
    setOver(false);
    const field = readDraggedField(event.dataTransfer);
    if (!field) return;
    event.preventDefault();
    const name = String(field.path.findLast((key) => typeof key === "string") ?? "");
    write([
      ...list,
      newAssignment(list, newId(), name, `={{ ${field.code} }}`, typeOfSample(field.sample)),
    ]);
  };
  return (
    <FieldFrame label={param.label} help={param.help} required={param.required}>
      <div className={css.rows} ref={rows}>
        {list.map((entry, at) => (
          <div key={entry.id || at} className={css.row} data-entry={entry.id}>
            <div className={css.rowFields}>
              <div className={css.pair}>
                <Input
                  value={entry.name}
                  onChange={(event) => replace(at, { ...entry, name: event.target.value })}
                  aria-label={`Name of field ${at + 1}`}
                  placeholder="Name"
                  disabled={readOnly}
                />
                <Select
                  value={entry.type}
                  onChange={(type) => replace(at, retypeAssignment(entry, type as AssignmentType))}
                  options={ASSIGNMENT_TYPES.map((type) => ({
                    value: type,
                    label: TYPE_LABELS[type],
                  }))}
                  label={`Type of ${entry.name || `field ${at + 1}`}`}
                  disabled={readOnly}
                />
              </div>
              <ValueInput
                mini
                value={entry.value}
                onChange={(next) => replace(at, { ...entry, value: next })}
                label={`Value of ${entry.name || `field ${at + 1}`}`}
                placeholder="Value"
                kind={CONTROLS[entry.type]}
              />
            </div>
            {!readOnly && (
              <div className={css.rowActions}>
                <IconButton
                  icon={Trash2}
                  label={`Remove ${entry.name || `field ${at + 1}`}`}
                  size="small"
                  onClick={() => write(list.filter((_, index) => index !== at))}
                />
                {at > 0 && (
                  <IconButton
                    icon={ArrowUp}
                    label="Move up"
                    size="small"
                    onClick={() => write(moveInList(list, at, at - 1))}
                  />
                )}
                {at < list.length - 1 && (
                  <IconButton
                    icon={ArrowDown}
                    label="Move down"
                    size="small"
                    onClick={() => write(moveInList(list, at, at + 1))}
                  />
                )}
              </div>
            )}
          </div>
        ))}
        {!readOnly && (
          // biome-ignore lint/a11y/noStaticElementInteractions: a place to drop on; the button inside does the same by keys.
          <div
            className={cx(css.dropZone, over && css.isOver)}
            onDragOver={(event) => {
              if (!isFieldDrag(event.dataTransfer)) return;
              event.preventDefault();
              setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={onDrop}
          >
            {dragging ? (
              "Drop here to add a field"
            ) : (
              <>
                Drag fields here or
                <Button
                  kind="quiet"
                  size="small"
                  icon={Plus}
                  onClick={() => {
                    const id = newId();
                    focusWhenAdded(id);
                    write([...list, newAssignment(list, id, "", "", "string")]);
                  }}
                >
                  Add field
                </Button>
              </>
            )}
          </div>
        )}
      </div>
    </FieldFrame>
  );
}
