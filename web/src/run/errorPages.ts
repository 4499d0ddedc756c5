// The pages about error codes, all in one part of the program that is loaded when the first of them is opened.

const files: Record<string, string> = import.meta.glob("../../../docs/errors/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The page of a code as Markdown without its heading; `null` for a code that has none. */
export function loadErrorPage(code: string): string | null {
  const text = files[`../../../docs/errors/${code}.md`];
  return text === undefined ? null : text.replace(/^# .*\n+/, "");
}
