// Tells the server's log what went wrong in this browser: each error once, only so many, and nothing that is secret or that is no mistake.
import { ApiError, api, isSignedIn } from "./client";
import type { ClientErrorInput } from "./generated";

/** A page reports no more errors than this before it is loaded again. */
export const MAX_REPORTS = 10;
/** What the server would cut off is not sent. */
const MAX_MESSAGE_CHARS = 500;
const MAX_STACK_CHARS = 4_000;

/** Where an error was caught, if by a boundary. */
interface ErrorContext {
  part?: string;
  components?: string | null;
}

const reported = new Set<string>();

/** Reports an error, unless it was before. Never fails and never waits: whoever calls it has trouble enough. */
export function reportError(error: unknown, place: ErrorContext = {}): void {
  try {
    const report = buildReport(error, place, window.location.pathname);
    if (!report || !isSignedIn() || reported.size >= MAX_REPORTS) return;
    const key = `${report.message}\n${report.stack?.split("\n").slice(0, 3).join("\n")}`;
    if (reported.has(key)) return;
    reported.add(key);
    // A report that does not arrive is not reported.
    api.raw("POST", "/api/v1/client-errors", { body: report, keepalive: true }).catch(() => {});
  } catch {
    // Whatever was thrown cannot even be looked at.
  }
}

/** Reports what nobody caught, from now on. */
export function startErrorReporting(): void {
  window.addEventListener("error", (event) => reportError(event.error ?? event.message));
  window.addEventListener("unhandledrejection", (event) => reportError(event.reason));
}

/** The report of an error; `null` for what is no mistake of the editor. */
export function buildReport(
  error: unknown,
  { part, components }: ErrorContext,
  page: string,
): ClientErrorInput | null {
  if (isExpected(error)) return null;
  const stack = [error instanceof Error ? error.stack : undefined, components]
    .filter(Boolean)
    .join("\n");
  if (EXTENSION_ORIGIN.test(stack)) return null;
  return {
    message: describeError(error).slice(0, MAX_MESSAGE_CHARS) || "Unknown error",
    stack: stack.slice(0, MAX_STACK_CHARS),
    page: page.split(/[?#]/)[0] ?? "",
    part: part ?? "",
    build: BUILD,
  };
}

/** The file that this is in: its name has a sum of what it was built from. */
const BUILD = import.meta.url.split(/[?#]/)[0]?.split("/").at(-1) ?? "";

/** Extensions of the browser run on the page too; their mistakes are not ours. */
const EXTENSION_ORIGIN = /\b(chrome|moz|safari-web)-extension:\/\//;
/** Browsers report these although nothing is wrong. */
const IGNORED_MESSAGES = /^(ResizeObserver loop |Script error\.?$)/;

function isExpected(error: unknown): boolean {
  // The server that does not answer cannot be told so, and one that refuses knows it.
  if (error instanceof ApiError) return error.status === 0 || error.status === 401;
  if (error instanceof DOMException && error.name === "AbortError") return true;
  return IGNORED_MESSAGES.test(
    typeof error === "string" ? error : error instanceof Error ? error.message : "",
  );
}

/** What went wrong. Of the server's answers only the code: their words may have somebody's data in them. */
function describeError(error: unknown): string {
  if (error instanceof ApiError) return `ApiError: ${error.status} ${error.code}`;
  if (error instanceof Error) return `${error.name}: ${error.message}`;
  return typeof error === "string" ? error : `Thrown: ${Object.prototype.toString.call(error)}`;
}
