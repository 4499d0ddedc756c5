/** A program or JSON as a parameter: an editor in the form, as large as wanted, or in a window of its own. */

import { Maximize2 } from "lucide-react";
import { useState } from "react";
import { CodeEditor } from "../expression/CodeEditor";
import type { Language } from "../expression/codeMirrorEditor";
import { dropIntoValue } from "../graph/template";
import { useForm } from "../store/formContext";
import { Button, Dialog, IconButton } from "../ui";
import { jsonProblem } from "./controlValues";
import css from "./Field.module.css";

interface CodeFieldProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
  language: string;
  invalid?: boolean;
}

const LANGUAGES: Record<string, Language> = {
  javascript: "javascript",
  javaScript: "javascript",
  python: "python",
  pythonNative: "python",
  json: "json",
  sql: "sql",
};

export default function CodeField({ value, onChange, label, language, invalid }: CodeFieldProps) {
  const { scope, readOnly } = useForm();
  const [large, setLarge] = useState(false);
  const spoken = LANGUAGES[language] ?? "text";
  const problem = spoken === "json" ? jsonProblem(value) : null;
  const editor = (
    <CodeEditor
      value={value}
      onChange={onChange}
      language={spoken}
      label={label}
      readOnly={readOnly}
      invalid={invalid || problem !== null}
      scope={scope}
      // In a program a field is code; in any other text it makes an expression of the whole.
      onDropped={
        spoken === "javascript" || spoken === "python"
          ? undefined
          : (code, position) => onChange(dropIntoValue(value, code, "json", position))
      }
    />
  );
  return (
    <div>
      <div className={spoken === "json" || spoken === "sql" ? css.codeSmall : css.code}>
        {!large && editor}
        <IconButton
          icon={Maximize2}
          label={`Edit ${label} in a large editor`}
          size="small"
          className={css.enlarge}
          onClick={() => setLarge(true)}
        />
      </div>
      {problem && <p className={css.error}>{problem}</p>}
      {large && (
        <Dialog
          open
          onClose={() => setLarge(false)}
          title={label}
          size="large"
          footer={
            <Button kind="primary" onClick={() => setLarge(false)}>
              Done
            </Button>
          }
        >
          <div className={css.codeLarge}>{editor}</div>
        </Dialog>
      )}
    </div>
  );
}
