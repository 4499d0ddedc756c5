/** Files on their way into a collection: one after the other, each waiting, being read, done or failed. */

export interface Upload {
  id: number;
  file: File;
  state: "waiting" | "working" | "done" | "failed";
  chunks?: number;
  error?: unknown;
}

export type UploadChange =
  | { what: "add"; files: readonly File[] }
  | { what: "begin"; id: number }
  | { what: "done"; id: number; chunks: number }
  | { what: "fail"; id: number; error: unknown }
  | { what: "again"; id: number }
  | { what: "clear" };

/** The kinds of files that can be read. */
export const ACCEPTED = ".pdf,.docx,.csv,.json,.html,.htm,.md,.markdown,.txt";

export function applyUploadChange(
  uploads: readonly Upload[],
  change: UploadChange,
): readonly Upload[] {
  const set = (id: number, fields: Partial<Upload>) =>
    uploads.map((upload) => (upload.id === id ? { ...upload, ...fields } : upload));
  switch (change.what) {
    case "add": {
      const first = uploads.reduce((most, upload) => Math.max(most, upload.id), 0) + 1;
      return [
        ...uploads,
        ...change.files.map(
          (file, index): Upload => ({ id: first + index, file, state: "waiting" }),
        ),
      ];
    }
    case "begin":
      return set(change.id, { state: "working", error: undefined });
    case "done":
      return set(change.id, { state: "done", chunks: change.chunks });
    case "fail":
      return set(change.id, { state: "failed", error: change.error });
    case "again":
      return set(change.id, { state: "waiting", error: undefined });
    case "clear":
      return uploads.filter((upload) => upload.state === "waiting" || upload.state === "working");
  }
}

/** The next to be read; one at a time, so that a provider's limit is not run into. */
export function nextUpload(uploads: readonly Upload[]): Upload | undefined {
  if (uploads.some((upload) => upload.state === "working")) return undefined;
  return uploads.find((upload) => upload.state === "waiting");
}

/** How far all of it is, from 0 to 1. */
export function uploadProgress(uploads: readonly Upload[]): number {
  const total = uploads.reduce((sum, upload) => sum + Math.max(1, upload.file.size), 0);
  const ended = uploads.filter((upload) => upload.state === "done" || upload.state === "failed");
  return total === 0
    ? 0
    : ended.reduce((sum, upload) => sum + Math.max(1, upload.file.size), 0) / total;
}
