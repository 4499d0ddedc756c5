// What can be said about a part of the page that stopped working: pure functions behind `ErrorBoundary`.

export interface Crash {
  /** The part that stopped, in the words a person knows it by: "The node panel". */
  what: string;
  error: unknown;
  /** The components it happened in, as React lists them. */
  components?: string | null;
}

/** What browsers say when a script of the editor cannot be fetched, which is so after an update or while the server is away. */
const CHUNK_LOAD_ERROR =
  /dynamically imported module|importing a module script failed|unable to preload css/i;

/** Whether a file of the editor is missing. Trying again helps nothing then: the browser remembers the failure until the page is reloaded. */
export function isChunkLoadError(error: unknown): boolean {
  return CHUNK_LOAD_ERROR.test(thrownMessage(error));
}

/** The message of whatever was thrown. Never throws itself, whatever it gets. */
export function thrownMessage(error: unknown): string {
  try {
    if (error instanceof Error) return error.message || error.name || "Error";
    return typeof error === "string" ? error : (JSON.stringify(error) ?? String(error));
  } catch {
    return "Unknown error";
  }
}

/** Everything that helps to find the cause, as a text to paste into a report. The query of the address is left out: it may hold tokens. */
export function crashDetails(
  { what, error, components }: Crash,
  page: { path: string; agent: string; at: Date },
): string {
  const stack = error instanceof Error && typeof error.stack === "string" ? error.stack : "";
  // Chromium begins the stack with the message, Firefox does not.
  const head = stack.includes(thrownMessage(error))
    ? ""
    : `${error instanceof Error ? error.name : "Thrown"}: ${thrownMessage(error)}`;
  const parts = [
    `${what} stopped working`,
    [`Time: ${page.at.toISOString()}`, `Page: ${page.path}`, `Browser: ${page.agent}`].join("\n"),
    [head, stack.trim()].filter(Boolean).join("\n"),
    components?.trim() && `Components:\n${components.replace(/^\n+/, "").trimEnd()}`,
  ];
  return parts.filter(Boolean).join("\n\n");
}
