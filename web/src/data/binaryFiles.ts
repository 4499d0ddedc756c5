/** The files of items: what is known about each, and where its content can be had. */

import { isNormalizedPath } from "../api/url";
import { type DisplayItem, itemNumber } from "./dataSource";

export interface FileEntry {
  /** The number of the item, from 1. */
  item: number;
  /** The name of the file's field in the item. */
  name: string;
  fileName: string;
  mimeType: string;
  size: number | string | null;
  url?: string;
  /** The content as base64, where it is part of the item. */
  data?: string;
}

export function listFiles(items: readonly DisplayItem[], first: number): FileEntry[] {
  return items.flatMap((item, at) =>
    Object.entries(item.binary ?? {}).map(([name, file]) => ({
      item: itemNumber(item, first, at),
      name,
      fileName: file.fileName || name,
      mimeType: file.mimeType || "application/octet-stream",
      size: file.fileSize ?? null,
      ...(typeof file.url === "string" && { url: file.url }),
      ...(typeof file.data === "string" && { data: file.data }),
    })),
  );
}

/** Only these types are shown; anything else, such as HTML or SVG with scripts in it, is only offered for download. */
const IMAGE_TYPES = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;
const TEXT_TYPES = /^(text\/(?!html)|application\/(json|xml|x-yaml|yaml|x-ndjson|csv)$)/;

export function isImage(file: FileEntry): boolean {
  return IMAGE_TYPES.test(file.mimeType);
}

export function isText(file: FileEntry): boolean {
  return TEXT_TYPES.test(file.mimeType);
}

/** Where the server keeps files of executions. What else an item names as an address may be anybody's: pinned data comes with a workflow. */
const SERVER_PATH = "/api/v1/executions/";

/** Where the content is: at the server, or in the item itself. */
export function fileUrl(file: FileEntry): string | undefined {
  if (
    file.url?.startsWith("data:") ||
    (file.url?.startsWith(SERVER_PATH) && isNormalizedPath(file.url))
  )
    return file.url;
  if (file.data && /^[A-Za-z\d+/=]+$/.test(file.data)) {
    const type = isImage(file) || isText(file) ? file.mimeType : "application/octet-stream";
    return `data:${type};base64,${file.data}`;
  }
  return undefined;
}
