/** A code editor that is loaded when the first one is drawn; until then a plain field takes what is typed, and hands it over. */

import {
  type InputEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";
import type { ExpressionScope } from "../store/formContext";
import { cx } from "../ui";
import css from "./CodeEditor.module.css";
import type { EditorHandle, EditorProblem, Language } from "./codeMirrorEditor";
import { typeOver } from "./typeOver";

const EMPTY_SCOPE: ExpressionScope = { json: undefined, nodes: [], variables: [] };

interface CodeEditorProps {
  value: string;
  onChange: (value: string) => void;
  language: Language;
  label: string;
  readOnly?: boolean;
  /** One field among others, which grows with its text. Otherwise the editor fills its place and has line numbers. */
  compact?: boolean;
  invalid?: boolean;
  /** What is wrong with the text, marked at its place. */
  problem?: EditorProblem | null;
  placeholder?: string;
  scope?: ExpressionScope;
  /** Takes a dropped field instead of the editor, where it changes what the text is. */
  onDropped?: (code: string, position: number) => void;
  onFocus?: () => void;
  onBlur?: () => void;
  /** Lets the owner write into the editor and focus it. */
  handle?: RefObject<EditorHandle | null>;
  autoFocus?: boolean;
  /** Where writing goes on with `autoFocus`; at the end of the text if it is not given. */
  cursor?: number;
  className?: string;
}

/** Loads the editor before it is needed, so that one that is about to be drawn takes the next key. */
export function preloadCodeEditor(): void {
  void import("./codeMirrorEditor");
}

export function CodeEditor(props: CodeEditorProps) {
  const {
    value,
    language,
    label,
    readOnly = false,
    compact = false,
    invalid,
    problem = null,
    className,
    autoFocus,
    cursor: wantedCursor,
  } = props;
  const place = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<EditorHandle | null>(null);
  const [ready, setReady] = useState(false);
  // The editor outlives renderings, so it asks for what is current through here.
  const current = useRef(props);
  useLayoutEffect(() => {
    current.current = props;
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: only where writing begins, not where it goes on.
  useLayoutEffect(() => {
    if (autoFocus)
      plain.current?.setSelectionRange(wantedCursor ?? value.length, wantedCursor ?? value.length);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new editor is needed for another language or layout only; the rest is followed below.
  useEffect(() => {
    let gone = false;
    void import("./codeMirrorEditor").then(({ createEditor }) => {
      if (gone || !place.current) return;
      const cursor =
        document.activeElement === plain.current ? plain.current?.selectionStart : undefined;
      const now = () => current.current;
      editor.current = createEditor(place.current, {
        value: now().value,
        language,
        label: now().label,
        readOnly: now().readOnly ?? false,
        compact,
        placeholder: now().placeholder ?? "",
        scope: () => now().scope ?? EMPTY_SCOPE,
        ...(now().onDropped && {
          onDropped: (code: string, position: number) => now().onDropped?.(code, position),
        }),
        onChange: (next) => now().onChange(next),
        onFocus: () => now().onFocus?.(),
        onBlur: () => now().onBlur?.(),
      });
      editor.current.setProblem(now().problem ?? null);
      if (now().handle) (now().handle as RefObject<EditorHandle | null>).current = editor.current;
      flushSync(() => setReady(true));
      // Whoever has begun to write goes on where the cursor is.
      if (cursor !== undefined) editor.current.focus(cursor);
      // A dialog gives the focus to its first field when it opens; the editor takes it after that.
      else if (autoFocus) setTimeout(() => editor.current?.focus(), 30);
    });
    return () => {
      gone = true;
      editor.current?.destroy();
      editor.current = null;
      setReady(false);
    };
  }, [language, compact]);

  useEffect(() => {
    editor.current?.setValue(value);
  }, [value]);
  useEffect(() => {
    editor.current?.setProblem(problem);
  }, [problem]);
  useEffect(() => {
    editor.current?.setReadOnly(readOnly);
  }, [readOnly]);
  useEffect(() => {
    editor.current?.setLabel(label);
  }, [label]);

  /** Goes over brackets that closed themselves, as the editor does. */
  const onBeforeInput = (event: InputEvent<HTMLTextAreaElement>) => {
    const field = event.currentTarget;
    const { selectionStart: from, selectionEnd: to } = field;
    if (language !== "expression" || readOnly || from !== to) return;
    const over = typeOver(value, from, event.data);
    if (!over) return;
    event.preventDefault();
    flushSync(() => props.onChange(value.slice(0, over.from) + value.slice(over.to)));
    field.setSelectionRange(over.cursor, over.cursor);
  };

  return (
    <div
      className={cx(
        css.editor,
        compact ? css.compact : css.whole,
        invalid && css.invalid,
        readOnly && css.readOnly,
        className,
      )}
    >
      {!ready && (
        <textarea
          ref={plain}
          className={css.waiting}
          value={value}
          onBeforeInput={onBeforeInput}
          onChange={(event) => props.onChange(event.target.value)}
          aria-label={label}
          readOnly={readOnly}
          rows={1}
          spellCheck={false}
          autoFocus={autoFocus}
        />
      )}
      <div ref={place} className={css.place} hidden={!ready} />
    </div>
  );
}
