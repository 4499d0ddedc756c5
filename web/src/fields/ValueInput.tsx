/** A value that is fixed or computed. Fields of the data can be dropped on it, which makes it an expression. */

import { type ClipboardEvent, type DragEvent, useEffect, useRef, useState } from "react";
import {
  type DraggedField,
  isFieldDrag,
  readDraggedField,
  useDraggedField,
} from "../data/fieldDrag";
import { preloadCodeEditor } from "../expression/CodeEditor";
import { ExpressionField } from "../expression/ExpressionField";
import { isExpression, type Json, type ParamKind } from "../graph/json";
import { dropIntoValue, pastedExpression, toExpression, typedExpression } from "../graph/template";
import { useForm, useInsertTarget } from "../store/formContext";
import { cx } from "../ui";
import css from "./Field.module.css";
import { FixedControl } from "./FixedControl";
import type { ListSource } from "./locator";

interface ValueInputProps {
  value: Json | undefined;
  onChange: (value: Json) => void;
  label: string;
  kind: ParamKind;
  /** The value is taken as it stands: a leading `=` has no meaning. */
  noExpression?: boolean;
  invalid?: boolean;
  placeholder?: string;
  suggests?: ListSource;
  onBlur?: () => void;
  /** A dropped field takes the place of a fixed value instead of joining its text. */
  replaces?: boolean;
  /** Takes a dropped field with its expression, where more than the value depends on it. */
  onDropField?: (expression: string, field: DraggedField) => void;
  /** A small button inside the field turns it into an expression, where there is no frame to do so. */
  mini?: boolean;
}

export function ValueInput(props: ValueInputProps) {
  const {
    value,
    onChange,
    label,
    kind,
    noExpression,
    invalid,
    placeholder,
    onBlur,
    mini,
    replaces,
    suggests,
    onDropField,
  } = props;
  const { readOnly } = useForm();
  const dragging = useDraggedField((state) => state.field !== null);
  const [over, setOver] = useState(false);
  const computed = !noExpression && isExpression(value);
  // A field that becomes an expression goes on being written in.
  const wasFixed = useRef(false);
  useEffect(() => {
    wasFixed.current = !computed;
  }, [computed]);
  const takesDrop = !noExpression && !readOnly;
  const cursor = useRef<number | undefined>(undefined);
  const onTyped = (next: Json) => {
    const before = typeof value === "string" ? value : "";
    const typed =
      takesDrop && typeof next === "string" ? typedExpression(next, before, kind.type) : undefined;
    cursor.current = typed?.cursor;
    onChange(typed?.expression ?? next);
  };
  const onPaste = (event: ClipboardEvent) => {
    const pasted =
      !computed && takesDrop
        ? pastedExpression(event.clipboardData.getData("text/plain"), kind.type)
        : undefined;
    if (pasted === undefined) return;
    event.preventDefault();
    cursor.current = undefined;
    onChange(pasted);
  };
  const dropped = (code: string) =>
    dropIntoValue(replaces && !computed ? undefined : value, code, kind.type);
  const onDragOver = (event: DragEvent) => {
    if (!takesDrop || !isFieldDrag(event.dataTransfer)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    setOver(true);
  };
  const onDrop = (event: DragEvent) => {
    setOver(false);
    // An editor has taken it already, at the place where it was dropped.
    if (event.defaultPrevented) return;
    const field = readDraggedField(event.dataTransfer);
    if (!field || !takesDrop) return;
    event.preventDefault();
    cursor.current = undefined;
    const expression = dropped(field.code);
    if (onDropField) onDropField(expression, field);
    else onChange(expression);
  };
  const claim = useInsertTarget((code) => onChange(dropped(code)));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a place to drop on; the same can be done by keys from the data.
    <div
      className={cx(css.drop, dragging && takesDrop && css.canDrop, over && css.isOver)}
      onDragOver={onDragOver}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      onPaste={onPaste}
      onFocus={() => {
        if (computed || !takesDrop) return;
        claim();
        preloadCodeEditor();
      }}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) onBlur?.();
      }}
    >
      {computed ? (
        <ExpressionField
          value={value}
          onChange={onChange}
          label={label}
          invalid={invalid}
          autoFocus={wasFixed.current}
          cursor={cursor.current}
        />
      ) : (
        <FixedControl
          value={value}
          onChange={onTyped}
          label={label}
          kind={kind}
          invalid={invalid}
          placeholder={placeholder}
          suggests={suggests}
        />
      )}
      {mini && !computed && takesDrop && (
        <button
          type="button"
          className={css.mini}
          aria-label={`Make ${label} an expression`}
          title="Expression"
          onClick={() => onChange(toExpression(value))}
        >
          fx
        </button>
      )}
    </div>
  );
}
