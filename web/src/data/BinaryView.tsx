/** The files of items: a picture or the beginning of a text where it can be shown, and a way to download each. */

import { Download, FileText } from "lucide-react";
import { useState } from "react";
import { Bytes, Dialog, ErrorState, Loading } from "../ui";
import { type FileEntry, fileUrl, isImage, isText, listFiles } from "./binaryFiles";
import css from "./Data.module.css";
import type { DisplayItem } from "./dataSource";
import { useTextFile } from "./useTextFile";

export function BinaryView({ items, first }: { items: readonly DisplayItem[]; first: number }) {
  const files = listFiles(items, first);
  const [open, setOpen] = useState<FileEntry | null>(null);
  if (files.length === 0) return <p className={css.foot}>No files on this page.</p>;
  return (
    <div className={css.files}>
      {files.map((file) => (
        <figure key={`${file.item} ${file.name}`} className={css.file}>
          <button
            type="button"
            className={css.thumb}
            onClick={() => setOpen(file)}
            aria-label={`Show ${file.fileName}`}
          >
            {isImage(file) && fileUrl(file) ? (
              <img src={fileUrl(file)} alt="" loading="lazy" />
            ) : (
              <FileText size={28} aria-hidden />
            )}
          </button>
          <figcaption>
            <strong>{file.fileName}</strong>
            <span>
              Item {file.item} · {file.name} · {file.mimeType}
              {file.size !== null && (
                <>
                  {" · "}
                  {typeof file.size === "number" ? <Bytes n={file.size} /> : file.size}
                </>
              )}
            </span>
            {fileUrl(file) && (
              <a href={fileUrl(file)} download={file.fileName}>
                <Download size={13} aria-hidden /> Download
              </a>
            )}
          </figcaption>
        </figure>
      ))}
      {open && (
        <Dialog open onClose={() => setOpen(null)} title={open.fileName} size="large">
          <FileContent file={open} />
        </Dialog>
      )}
    </div>
  );
}

function FileContent({ file }: { file: FileEntry }) {
  const address = fileUrl(file);
  if (!address) return <p className={css.foot}>The content of this file was not stored.</p>;
  if (isImage(file)) return <img src={address} alt={file.fileName} className={css.picture} />;
  if (isText(file)) return <TextContent address={address} />;
  return <p className={css.foot}>No preview for {file.mimeType}. Download the file to open it.</p>;
}

function TextContent({ address }: { address: string }) {
  const text = useTextFile(address);
  if (text.error) return <ErrorState error={text.error} onRetry={() => void text.refetch()} />;
  if (text.data === undefined) return <Loading />;
  return (
    <pre className={css.text}>
      {text.data.text}
      {text.data.cut && "\n…"}
    </pre>
  );
}
