// Files that go with a message.

import type { WorkflowNode } from "../api/workflowDocument";
import { bytes } from "../ui";
import type { ChatFile } from "./chatSessions";

/** A message goes as one piece of JSON; more than this belongs into a store and not into a test chat. */
const MAX_FILE_BYTES = 10_000_000;

/** Reads a file into base64. */
export async function readFile(file: File): Promise<ChatFile> {
  if (file.size > MAX_FILE_BYTES)
    throw new Error(
      `${file.name} is ${bytes(file.size)}. The test chat accepts files up to ${bytes(MAX_FILE_BYTES)}.`,
    );
  const data = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^data:[^,]*,/, ""));
    reader.onerror = () =>
      reject(new Error(`Could not read ${file.name}. Check that it still exists.`));
    reader.readAsDataURL(file);
  });
  return {
    name: file.name || "file",
    mimeType: file.type || "application/octet-stream",
    size: file.size,
    data,
  };
}

/** Whether a chat takes a kind of file. Its author may have named some; the test chat takes files even where the page would not. */
export function acceptsFile(trigger: WorkflowNode, file: { name: string; type: string }): boolean {
  const options = trigger.parameters.options as Record<string, unknown> | undefined;
  const kinds =
    typeof options?.allowedFilesMimeTypes === "string" ? options.allowedFilesMimeTypes : "*";
  return kinds.split(",").some((kind) => matchesType(kind.trim().toLowerCase(), file));
}

function matchesType(kind: string, { name, type }: { name: string; type: string }): boolean {
  if (kind === "" || kind === "*" || kind === "*/*") return true;
  if (kind.startsWith(".")) return name.toLowerCase().endsWith(kind);
  return kind.endsWith("/*") ? type.startsWith(kind.slice(0, -1)) : type === kind;
}
