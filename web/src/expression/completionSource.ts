/** Offers in the editor what `suggest.ts` finds for the place of the cursor. */

import type {
  Completion,
  CompletionContext,
  CompletionResult,
  CompletionSource,
} from "@codemirror/autocomplete";
import type { EditorView } from "@codemirror/view";
import { codeAt } from "../graph/template";
import type { ExpressionScope } from "../store/formContext";
import { type Suggestion, suggest } from "./suggest";

/** Completion inside the `{{ … }}` of a text. */
export function expressionSource(known: () => ExpressionScope): CompletionSource {
  return (context) => {
    const text = context.state.doc.toString();
    const piece = codeAt(text, context.pos);
    if (!piece) return context.explicit ? offerBraces(context) : null;
    return completeAt(context, piece.text, piece.from + 2, known());
  };
}

/** Completion in a whole program, such as that of a Code node. */
export function programSource(known: () => ExpressionScope): CompletionSource {
  return (context) => {
    const line = context.state.doc.lineAt(context.pos);
    return completeAt(context, line.text, line.from, known());
  };
}

function completeAt(
  context: CompletionContext,
  code: string,
  start: number,
  known: ExpressionScope,
): CompletionResult | null {
  const position = context.pos - start;
  const found = suggest(code, position, known);
  if (!found) return null;
  const typed = code.slice(found.from, position);
  const behindDot =
    code[found.from - 1] === "." || code[found.from - 1] === "'" || code[found.from - 1] === '"';
  if (!context.explicit && typed === "" && !behindDot) return null;
  // A root begins with `$` or a word; a lone space or digit asks for nothing.
  if (!context.explicit && /^\d/.test(typed)) return null;
  return {
    from: start + found.from,
    options: found.list.map((one, at) => toCompletion(one, at)),
    validFor: /^[\w$ ]*$/,
  };
}

/** Outside of code the only thing to offer is to begin some. */
function offerBraces(context: CompletionContext): CompletionResult {
  const apply = (view: EditorView, _completion: Completion, from: number, to: number) =>
    insertCompletion(view, "{{ | }}", from, to);
  return { from: context.pos, options: [{ label: "{{ }}", detail: "expression", apply }] };
}

const TYPES: Record<Suggestion["kind"], string> = {
  field: "property",
  function: "function",
  root: "variable",
  node: "class",
};

function toCompletion(suggestion: Suggestion, at: number): Completion {
  return {
    label: suggestion.label,
    detail: suggestion.detail,
    type: TYPES[suggestion.kind],
    // Keeps the order: fields of the data before functions.
    boost: Math.max(-99, 99 - at),
    info: suggestion.help === "" ? undefined : () => renderHelp(suggestion),
    apply: (view, _completion, from, to) => {
      const needsNoDot =
        suggestion.insert.startsWith("[") && view.state.sliceDoc(from - 1, from) === ".";
      insertCompletion(view, suggestion.insert, needsNoDot ? from - 1 : from, to);
    },
  };
}

/** Writes an insertion and places the cursor where it has its mark. */
function insertCompletion(view: EditorView, insertion: string, from: number, to: number): void {
  const mark = insertion.indexOf("|");
  const insert = mark < 0 ? insertion : insertion.slice(0, mark) + insertion.slice(mark + 1);
  const anchor = from + (mark < 0 ? insert.length : mark);
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor },
    userEvent: "input.complete",
  });
}

function renderHelp(suggestion: Suggestion): HTMLElement {
  const box = document.createElement("div");
  box.className = "cm-help";
  const words = box.appendChild(document.createElement("p"));
  words.textContent = suggestion.help;
  if (suggestion.example) {
    const example = box.appendChild(document.createElement("code"));
    example.textContent = suggestion.example;
  }
  return box;
}
