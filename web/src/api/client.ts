// The way to the server: requests, their errors, and the cache of answers.
import { QueryClient } from "@tanstack/react-query";
import { takePrefetched } from "./prefetch";
import { isNormalizedPath } from "./url";

/** What the server says went wrong: in words, with a code that has a page of its own. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint?: string,
    readonly body?: unknown,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

export type Query = Record<string, string | number | boolean | null | undefined>;

let csrf: string | null = null;

/** The token that goes with every change; it comes with the session. */
export function setCsrf(token: string | null) {
  csrf = token;
}

/** Whether somebody is signed in, as far as this page knows. */
export function isSignedIn(): boolean {
  return csrf !== null;
}

function withQuery(path: string, query?: Query): string {
  const given = Object.entries(query ?? {}).filter(
    ([, value]) => value !== undefined && value !== null && value !== "",
  );
  if (given.length === 0) return path;
  return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** An address that leads where it says. All requests of the editor pass here. */
export function checkUrl(address: string): string {
  if (isNormalizedPath(address)) return address;
  throw new ApiError(0, "ADDRESS_INVALID", "This URL is not valid", "Open the page from its list.");
}

interface RequestOptions {
  body?: unknown;
  query?: Query;
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** It is sent even if the page is left meanwhile. */
  keepalive?: boolean;
}

async function send(
  method: string,
  path: string,
  { body, query, signal, headers: more, keepalive }: RequestOptions = {},
): Promise<Response> {
  const headers: Record<string, string> = { ...more };
  const isForm = body instanceof FormData || body instanceof Blob;
  if (body !== undefined && !isForm) headers["content-type"] ??= "application/json";
  if (csrf && method !== "GET") headers["x-csrf-token"] = csrf;
  const address = checkUrl(withQuery(path, query));
  let response =
    method === "GET" ? await takePrefetched(address)?.catch(() => undefined) : undefined;
  try {
    response ??= await fetch(address, {
      method,
      headers,
      signal,
      keepalive,
      body: body === undefined ? undefined : isForm ? (body as BodyInit) : JSON.stringify(body),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(
      0,
      "SERVER_UNREACHABLE",
      "Heddle is not responding",
      "Check that it is running, then try again.",
    );
  }
  if (!response.ok) throw await readError(response);
  return response;
}

async function readError(response: Response): Promise<ApiError> {
  const body = await response.json().catch(() => null);
  const message = body?.message ?? `The server returned ${response.status}`;
  return new ApiError(response.status, body?.code ?? "", message, body?.hint, body);
}

async function read<T>(response: Response): Promise<T> {
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

const apiUrl = (path: string) => `/api/v1${path}`;

/** Requests below `/api/v1`. */
export const api = {
  get: async <T>(path: string, query?: Query, signal?: AbortSignal) =>
    read<T>(await send("GET", apiUrl(path), { query, signal })),
  post: async <T>(path: string, body?: unknown, signal?: AbortSignal) =>
    read<T>(await send("POST", apiUrl(path), { body, signal })),
  put: async <T>(path: string, body?: unknown) =>
    read<T>(await send("PUT", apiUrl(path), { body })),
  patch: async <T>(path: string, body?: unknown) =>
    read<T>(await send("PATCH", apiUrl(path), { body })),
  delete: async <T>(path: string, body?: unknown) =>
    read<T>(await send("DELETE", apiUrl(path), { body })),
  /** Any path of the server; gives the response itself. */
  raw: send,
};

/** All pages of a list that has cursors. */
export async function fetchAll<T>(path: string, query?: Query): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | null | undefined;
  do {
    const page: { data: T[]; nextCursor?: string | null } = await api.get(path, {
      limit: 250,
      ...query,
      cursor,
    });
    found.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor);
  return found;
}

/** Whether nobody has answered; then asking again may help, while an answer would be the same. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && (error.code === "SERVER_UNREACHABLE" || error.status === 503);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && isUnreachable(error),
    },
  },
});
