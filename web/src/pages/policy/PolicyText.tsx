/** The policy as text. What the server would refuse is marked at its line while it is written. */

import { CircleAlert, CircleCheck } from "lucide-react";
import { useMemo, useRef } from "react";
import { CodeEditor } from "../../expression/CodeEditor";
import type { EditorHandle } from "../../expression/codeMirrorEditor";
import { Button, ErrorState, useDebounced } from "../../ui";
import styles from "./Policy.module.css";
import { usePolicyCheck } from "./policyApi";
import { isProblem, readPolicy, readServerProblem, type TextProblem } from "./policyDocument";

const TYPING_PAUSE_MS = 600;

interface PolicyTextProps {
  text: string;
  /** What is wrong with the text in force. */
  inForce: string | null;
  isChanged: boolean;
  onChange: (text: string) => void;
}

export function PolicyText({ text, inForce, isChanged, onChange }: PolicyTextProps) {
  const editor = useRef<EditorHandle>(null);
  const paused = useDebounced(text, TYPING_PAUSE_MS);
  const check = usePolicyCheck(paused, isChanged);
  const said = isChanged ? check.data : inForce;
  const problem = useMemo(() => textProblem(paused, said), [paused, said]);
  const isSettled = paused === text && check.isFetched;
  const show = ({ line, column = 1 }: TextProblem) =>
    editor.current?.focus(offsetOf(text, line, column));
  return (
    <div className={styles.text}>
      <CodeEditor
        className={styles.editor}
        language="toml"
        label="Policy text"
        value={text}
        onChange={onChange}
        invalid={problem !== null}
        problem={problem}
        handle={editor}
      />
      <div className={styles.checked} role="status">
        {check.error ? (
          <ErrorState error={check.error} onRetry={() => void check.refetch()} />
        ) : problem ? (
          <>
            <CircleAlert size={15} aria-hidden className={styles.wrong} />
            <span className={styles.said}>
              Line {problem.line}
              {problem.column !== undefined && `, column ${problem.column}`}: {problem.message}
            </span>
            <Button size="small" onClick={() => show(problem)}>
              Go to line {problem.line}
            </Button>
          </>
        ) : (
          isChanged &&
          isSettled && (
            <>
              <CircleCheck size={15} aria-hidden className={styles.right} />
              <span className={styles.said}>The text is valid. It is not in force yet.</span>
            </>
          )
        )}
      </div>
    </div>
  );
}

/** The server's word counts; of a text that is not TOML, the column is known here. */
function textProblem(text: string, said: string | null | undefined): TextProblem | null {
  if (!said) return null;
  const problem = readServerProblem(said);
  const read = readPolicy(text);
  return isProblem(read) && read.line === problem.line
    ? { ...problem, column: read.column }
    : problem;
}

function offsetOf(text: string, line: number, column: number): number {
  const before = text.split("\n").slice(0, line - 1);
  return before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
}
