/** Colours for expressions: plain text stays plain, the code between `{{` and `}}` is coloured as JavaScript. */

import {
  HighlightStyle,
  StreamLanguage,
  type StringStream,
  syntaxHighlighting,
} from "@codemirror/language";
import { type Extension, RangeSetBuilder } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { segments } from "../graph/template";

interface State {
  inCode: boolean;
  quote: string;
}

const KEYWORDS =
  /^(?:true|false|null|undefined|new|typeof|instanceof|in|of|if|else|return|const|let|var|function|await|async)$/;

function token(stream: StringStream, state: State): string | null {
  if (!state.inCode) {
    if (stream.match("{{")) {
      state.inCode = true;
      return "brace";
    }
    while (!stream.eol() && !stream.match("{{", false)) stream.next();
    return null;
  }
  // The end of code is looked for without regard to quotes, as the server does.
  if (stream.match("}}")) {
    state.inCode = false;
    state.quote = "";
    return "brace";
  }
  if (state.quote !== "") return inStringLiteral(stream, state);
  if (stream.eatSpace()) return null;
  const next = stream.next();
  if (next === null || next === undefined) return null;
  if (next === '"' || next === "'" || next === "`") {
    state.quote = next;
    return inStringLiteral(stream, state);
  }
  if (/\d/.test(next)) {
    stream.match(/^[\d_]*\.?\d*(?:e[+-]?\d+)?/i);
    return "number";
  }
  if (/[\w$]/.test(next)) {
    stream.match(/^[\w$]*/);
    const word = stream.current();
    if (KEYWORDS.test(word)) return "keyword";
    if (word.startsWith("$")) return "variableName.special";
    return stream.match(/^\s*\(/, false) ? "function" : "propertyName";
  }
  return "operator";
}

function inStringLiteral(stream: StringStream, state: State): string {
  while (!stream.eol()) {
    if (stream.match("}}", false)) return "string";
    const next = stream.next();
    if (next === "\\") stream.next();
    else if (next === state.quote) {
      state.quote = "";
      return "string";
    }
  }
  return "string";
}

export const expressionLanguage = StreamLanguage.define<State>({
  name: "expression",
  startState: () => ({ inCode: false, quote: "" }),
  copyState: (state) => ({ ...state }),
  token,
  tokenTable: { function: tags.function(tags.variableName), brace: tags.brace },
});

/** The colours of the tokens file, so that a change of theme needs nothing here. */
const style = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null, tags.self], color: "var(--code-word)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--code-text)" },
  { tag: [tags.number], color: "var(--code-number)" },
  {
    tag: [tags.special(tags.variableName), tags.propertyName, tags.definition(tags.variableName)],
    color: "var(--code-name)",
  },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName)],
    color: "var(--code-name)",
  },
  { tag: [tags.comment], color: "var(--code-note)", fontStyle: "italic" },
  { tag: [tags.brace, tags.operator, tags.punctuation], color: "var(--ink-3)" },
]);

export const expressionHighlighting: Extension = syntaxHighlighting(style);

const CODE = Decoration.mark({ class: "cm-code" });
const OPEN_CODE = Decoration.mark({ class: "cm-code cm-code-open" });

function codeDecorations(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const piece of segments(view.state.doc.toString())) {
    if (piece.kind === "code") builder.add(piece.from, piece.to, piece.closed ? CODE : OPEN_CODE);
  }
  return builder.finish();
}

/** A quiet ground behind code, so that it is told from text at a glance. */
export const codeBackground = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = codeDecorations(view);
    }
    update(update: ViewUpdate) {
      if (update.docChanged) this.decorations = codeDecorations(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);
