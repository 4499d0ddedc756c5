/** A large window for one expression: the fields that can be used on the left, the text in the middle, what it gives on the right. */

import { useRef } from "react";
import { FieldPicker } from "../data/FieldPicker";
import { useForm } from "../store/formContext";
import { Button, Dialog } from "../ui";
import { CodeEditor } from "./CodeEditor";
import type { EditorHandle } from "./codeMirrorEditor";
import css from "./Expression.module.css";
import { ExpressionResult, ItemChooser } from "./ExpressionResult";
import { usePreview } from "./usePreview";

interface ExpressionDialogProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
  onClose: () => void;
}

export function ExpressionDialog({ value, onChange, label, onClose }: ExpressionDialogProps) {
  const { scope, readOnly } = useForm();
  const handle = useRef<EditorHandle | null>(null);
  const preview = usePreview(value, true);
  return (
    <Dialog
      open
      onClose={onClose}
      title={label}
      size="large"
      footer={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className={css.dialog}>
        <section className={css.pane} aria-label="Fields">
          <h3>Fields</h3>
          <FieldPicker onPick={(code) => handle.current?.insertCode(code)} />
        </section>
        <section className={css.pane} aria-label="Expression">
          <h3>Expression</h3>
          <CodeEditor
            value={value.slice(1)}
            onChange={(next) => onChange(`=${next}`)}
            language="expression"
            label={label}
            readOnly={readOnly}
            scope={scope}
            handle={handle}
            autoFocus
            className={css.fill}
          />
        </section>
        <section className={css.pane} aria-label="Result">
          <h3>
            Result <ItemChooser />
          </h3>
          <ExpressionResult {...preview} whole />
        </section>
      </div>
    </Dialog>
  );
}
