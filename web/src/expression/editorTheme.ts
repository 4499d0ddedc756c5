/** How code editors look: the same lines, colours and focus as every other field. */

import { EditorView } from "@codemirror/view";

export const editorTheme = EditorView.theme({
  "&": { fontSize: "12px", color: "var(--ink)" },
  // The place where tooltips stand has the theme as well, so a height is for the editor only.
  "&.cm-editor": { height: "100%" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--mono)",
    lineHeight: "18px",
    overflow: "auto",
    fontVariantLigatures: "none",
  },
  ".cm-content": { padding: "6px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 10px" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "1.5px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    {
      backgroundColor: "color-mix(in oklch, var(--accent) 24%, transparent)",
    },
  ".cm-placeholder": { color: "var(--ink-3)" },
  ".cm-code": { backgroundColor: "var(--good-soft)", borderRadius: "3px", padding: "1px 0" },
  ".cm-code-open": { backgroundColor: "var(--wait-soft)" },
  "&.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--accent-soft)",
    outline: "1px solid var(--accent-line)",
  },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--ink-3)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "28px", padding: "0 4px 0 8px" },
  ".cm-foldGutter .cm-gutterElement": { width: "14px", cursor: "pointer" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  ".cm-tooltip": {
    border: "1px solid var(--line)",
    borderRadius: "var(--radius)",
    backgroundColor: "var(--raised)",
    boxShadow: "var(--shadow-float)",
    pointerEvents: "auto",
    zIndex: "var(--layer-menu)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--mono)",
    fontSize: "12px",
    maxHeight: "240px",
    minWidth: "220px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    display: "flex",
    gap: "12px",
    padding: "3px 8px",
    lineHeight: "20px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent-soft)",
    color: "var(--ink)",
  },
  ".cm-completionLabel": { flex: "1" },
  ".cm-completionMatchedText": {
    textDecoration: "none",
    color: "var(--accent-ink)",
    fontWeight: "600",
  },
  ".cm-completionDetail": { color: "var(--ink-3)", fontStyle: "normal", marginLeft: "0" },
  ".cm-completionInfo": {
    padding: "8px 10px",
    maxWidth: "320px",
    fontFamily: "var(--font)",
    fontSize: "12px",
    lineHeight: "1.5",
  },
  ".cm-help code": {
    display: "block",
    marginTop: "6px",
    color: "var(--ink-2)",
    fontSize: "11px",
    whiteSpace: "pre-wrap",
  },
  ".cm-diagnostic": { padding: "4px 8px", fontFamily: "var(--font)", fontSize: "12px" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--bad)" },
  ".cm-panels": {
    backgroundColor: "var(--sunken)",
    color: "var(--ink)",
    borderBottom: "1px solid var(--line)",
  },
  ".cm-panels input, .cm-panels button": { fontFamily: "var(--font)" },
});
