/** The code editor itself. Nothing imports this file but `CodeEditor`, and only when an editor is drawn, so that it stays out of the first load. */

import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  completionStatus,
  startCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { javascript, localCompletionSource } from "@codemirror/lang-javascript";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { python } from "@codemirror/lang-python";
import { bracketMatching, foldGutter, indentOnInput, StreamLanguage } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { type Diagnostic, linter, lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState, type Extension, Prec } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
  placeholder,
  tooltips,
} from "@codemirror/view";
import { readDraggedField } from "../data/fieldDrag";
import { codeAt } from "../graph/template";
import type { ExpressionScope } from "../store/formContext";
import { styleNonce } from "../ui/styleNonce";
import { expressionSource, programSource } from "./completionSource";
import { editorTheme } from "./editorTheme";
import { codeBackground, expressionHighlighting, expressionLanguage } from "./highlight";
import { typeOver } from "./typeOver";

export type Language = "expression" | "javascript" | "python" | "json" | "toml" | "sql" | "text";

/** What the owner of an editor says is wrong with its text, and where. */
export interface EditorProblem {
  line: number;
  /** Counted from 1; the whole line is marked without one. */
  column?: number;
  message: string;
}

export interface EditorOptions {
  value: string;
  language: Language;
  label: string;
  readOnly: boolean;
  /** A field among others in a form, without line numbers; a whole program otherwise. */
  compact: boolean;
  placeholder: string;
  scope: () => ExpressionScope;
  /** Takes a dropped field instead of the editor, where it changes what the text is. */
  onDropped?: (code: string, position: number) => void;
  onChange: (value: string) => void;
  onFocus: () => void;
  onBlur: () => void;
}

/** What the component around it can do with an editor. */
export interface EditorHandle {
  setValue: (value: string) => void;
  setReadOnly: (readOnly: boolean) => void;
  setLabel: (label: string) => void;
  /** Marks what is wrong with the text; nothing takes the mark away. */
  setProblem: (problem: EditorProblem | null) => void;
  /** Writes code at the cursor, in brackets where it stands in text. */
  insertCode: (code: string) => void;
  /** Puts the cursor where it was, or at a place in the text. */
  focus: (at?: number) => void;
  destroy: () => void;
}

/** Marks changes that came from outside, which must not be told back. */
const ExternalChange = Annotation.define<boolean>();

export function createEditor(parent: HTMLElement, options: EditorOptions): EditorHandle {
  const readOnly = new Compartment();
  const label = new Compartment();
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: options.value,
      // A short text is gone on with, a program is read from its beginning.
      selection: { anchor: options.compact ? options.value.length : 0 },
      extensions: [
        EditorView.cspNonce.of(styleNonce()),
        // What is written straight into the document is undone with it.
        parent.closest("[data-document-fields]") ? [] : [history(), keymap.of(historyKeymap)],
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        expressionHighlighting,
        editorTheme,
        search({ top: true }),
        keymap.of([
          { key: "Tab", run: acceptCompletion },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...searchKeymap,
          ...defaultKeymap,
        ]),
        tooltips({
          parent: parent.closest<HTMLElement>("[role=dialog]") ?? document.body,
          position: "fixed",
        }),
        label.of(labelExtension(options.label)),
        readOnly.of(readOnlyExtension(options.readOnly)),
        options.placeholder === "" ? [] : placeholder(options.placeholder),
        options.compact ? EditorView.lineWrapping : programExtensions(options.language),
        languageExtensions(options),
        dropHandler(options),
        escapeKey,
        EditorView.updateListener.of((update) => {
          const told = update.transactions.some((transaction) =>
            transaction.annotation(ExternalChange),
          );
          if (update.docChanged && !told) options.onChange(update.state.doc.toString());
          if (update.focusChanged) (update.view.hasFocus ? options.onFocus : options.onBlur)();
        }),
      ],
    }),
  });
  return {
    setValue: (value) => {
      if (value === view.state.doc.toString()) return;
      view.dispatch({
        changes: changedPart(view.state.doc.toString(), value),
        annotations: ExternalChange.of(true),
      });
    },
    setReadOnly: (now) => view.dispatch({ effects: readOnly.reconfigure(readOnlyExtension(now)) }),
    setLabel: (now) => view.dispatch({ effects: label.reconfigure(labelExtension(now)) }),
    setProblem: (problem) =>
      view.dispatch(setDiagnostics(view.state, problem ? [diagnosticOf(view.state, problem)] : [])),
    insertCode: (code) => insertCode(view, code, view.state.selection.main.head, options.language),
    focus: (at) => {
      if (at !== undefined)
        view.dispatch({ selection: { anchor: Math.min(at, view.state.doc.length) } });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

function diagnosticOf(state: EditorState, { line, column, message }: EditorProblem): Diagnostic {
  const { from, to } = state.doc.line(Math.max(1, Math.min(state.doc.lines, line)));
  const start = Math.min(to, from + (column ?? 1) - 1);
  return { from: start, to, severity: "error", message };
}

/** The part in which two texts differ, so that the cursor stays where the rest is the same. */
function changedPart(before: string, after: string) {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  let end = 0;
  while (end < shorter - from && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

function labelExtension(label: string): Extension {
  return EditorView.contentAttributes.of({
    "aria-label": label,
    autocapitalize: "off",
    spellcheck: "false",
  });
}

function readOnlyExtension(readOnly: boolean): Extension {
  return [EditorState.readOnly.of(readOnly), EditorView.editable.of(!readOnly)];
}

function programExtensions(language: Language): Extension {
  return [
    lineNumbers(),
    foldGutter(),
    indentOnInput(),
    highlightSelectionMatches(),
    keymap.of([indentWithTab]),
    language === "json" || language === "toml" ? lintGutter() : [],
  ];
}

function languageExtensions({ language, scope }: EditorOptions): Extension {
  switch (language) {
    case "expression":
      return [
        expressionLanguage,
        codeBackground,
        brackets,
        openBraces,
        typeOverKeys,
        autocompletion({
          override: [expressionSource(scope)],
          icons: false,
          activateOnTyping: true,
        }),
      ];
    case "javascript":
      return [
        javascript(),
        autocompletion({
          override: [programSource(scope), localCompletionSource],
          icons: false,
          activateOnTyping: true,
        }),
      ];
    case "python":
      return [python(), autocompletion({ icons: false })];
    case "toml":
      return StreamLanguage.define(toml);
    case "json":
      return [json(), linter(jsonParseLinter())];
    default:
      return [];
  }
}

/** Brackets and quotes close themselves in code; in text an apostrophe is one. */
const brackets = EditorState.languageData.of((state, position) => {
  const inCode = codeAt(state.doc.toString(), position) !== undefined;
  return [{ closeBrackets: { brackets: inCode ? ["(", "[", "{", "'", '"', "`"] : ["{"] } }];
});

/** A second brace begins an expression: it closes itself, has room around the cursor, and what can be written is offered at once. */
const openBraces = Prec.high(
  EditorView.inputHandler.of((view, from, to, text) => {
    const before = view.state.sliceDoc(from - 1, from);
    if (text !== "{" || before !== "{" || codeAt(view.state.doc.toString(), from)) return false;
    const closing = view.state.sliceDoc(to, to + 1) === "}" ? 1 : 0;
    view.dispatch({
      changes: { from: from - 1, to: to + closing, insert: "{{  }}" },
      selection: { anchor: from + 2 },
      userEvent: "input.type",
    });
    startCompletion(view);
    return true;
  }),
);

/** The brackets that closed themselves may be typed all the same. */
const typeOverKeys = Prec.high(
  EditorView.inputHandler.of((view, from, to, text) => {
    const over = from === to ? typeOver(view.state.doc.toString(), from, text) : undefined;
    if (!over) return false;
    view.dispatch({
      changes: { from: over.from, to: over.to },
      selection: { anchor: over.cursor },
      userEvent: "input.type",
    });
    return true;
  }),
);

/** Escape closes what floats over the editor first; only then it belongs to whatever the editor stands in. */
const escapeKey = EditorView.domEventHandlers({
  keydown: (event, view) => {
    if (event.key === "Escape" && completionStatus(view.state) !== null) event.stopPropagation();
    return false;
  },
});

function dropHandler(options: EditorOptions): Extension {
  return EditorView.domEventHandlers({
    drop: (event, view) => {
      const field = event.dataTransfer && readDraggedField(event.dataTransfer);
      if (!field || options.readOnly) return false;
      event.preventDefault();
      const position =
        view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.doc.length;
      if (options.onDropped) options.onDropped(field.code, position);
      else insertCode(view, field.code, position, options.language);
      return true;
    },
  });
}

function insertCode(view: EditorView, code: string, position: number, language: Language): void {
  const isText = language === "expression" && !codeAt(view.state.doc.toString(), position);
  const insert = isText ? `{{ ${code} }}` : code;
  view.dispatch({
    changes: { from: position, insert },
    selection: { anchor: position + insert.length },
    userEvent: "input.drop",
  });
  view.focus();
}
