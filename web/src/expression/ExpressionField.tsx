/** A parameter's expression: the editor in the form, its result underneath, and a way to a larger place to write. */

import { Maximize2 } from "lucide-react";
import { useRef, useState } from "react";
import { useForm, useInsertTarget } from "../store/formContext";
import { cx, IconButton } from "../ui";
import { CodeEditor } from "./CodeEditor";
import type { EditorHandle } from "./codeMirrorEditor";
import css from "./Expression.module.css";
import { ExpressionDialog } from "./ExpressionDialog";
import { ExpressionResult } from "./ExpressionResult";
import { usePreview } from "./usePreview";

interface ExpressionFieldProps {
  /** With its leading `=`. */
  value: string;
  onChange: (value: string) => void;
  label: string;
  invalid?: boolean;
  autoFocus?: boolean;
  /** Where writing goes on with `autoFocus`, counted without the leading `=`. */
  cursor?: number;
}

export function ExpressionField({
  value,
  onChange,
  label,
  invalid,
  autoFocus,
  cursor,
}: ExpressionFieldProps) {
  const { scope, readOnly } = useForm();
  const [focused, setFocused] = useState(false);
  const [large, setLarge] = useState(false);
  const handle = useRef<EditorHandle | null>(null);
  const claim = useInsertTarget((code) => handle.current?.insertCode(code));
  const preview = usePreview(value, !asksModel(value));
  const text = value.slice(1);
  return (
    <div className={css.field}>
      <div className={css.line}>
        <CodeEditor
          compact
          value={text}
          onChange={(next) => onChange(`=${next}`)}
          language="expression"
          label={label}
          readOnly={readOnly}
          invalid={invalid}
          placeholder="Text with {{ expressions }}"
          scope={scope}
          handle={handle}
          onFocus={() => {
            claim();
            setFocused(true);
          }}
          onBlur={() => setFocused(false)}
          autoFocus={autoFocus}
          cursor={cursor}
          className={css.editor}
        />
        <IconButton
          icon={Maximize2}
          label={`Edit ${label} in a large editor`}
          size="small"
          className={css.large}
          onClick={() => setLarge(true)}
        />
      </div>
      {asksModel(value) ? (
        <p className={cx(css.result, css.faint)}>The model decides this when it calls the tool.</p>
      ) : (
        <ExpressionResult {...preview} chooser={focused} />
      )}
      {large && (
        <ExpressionDialog
          value={value}
          onChange={onChange}
          label={label}
          onClose={() => setLarge(false)}
        />
      )}
    </div>
  );
}

/** What a model fills in is not known before it does. */
function asksModel(expression: string): boolean {
  return /\$from(?:AI|Ai|ai)\s*\(/.test(expression);
}
