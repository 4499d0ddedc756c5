/** The files of items: a picture or the beginning of a text where it can be shown, and a way to download each. */

import { Download, FileText } from "lucide-react";
import { useState } from "react";
import { Bytes, Dialog, Loading, Problem } from "../ui";
import css from "./Data.module.css";
import { addressOf, type FileEntry, filesOf, isPicture, isText } from "./files";
import type { ShownItem } from "./items";
import { useText } from "./use-text";

export function BinaryView({ items, first }: { items: readonly ShownItem[]; first: number }) {
  const files = filesOf(items, first);
  const [open, setOpen] = useState<FileEntry | null>(null);
  if (files.length === 0) return <p className={css.foot}>The items on this page have no files.</p>;
  return (
    <div className={css.files}>
      {files.map((file) => (
        <figure key={`${file.item} ${file.name}`} className={css.file}>
          <button type="button" className={css.thumb} onClick={() => setOpen(file)} aria-label={`Show ${file.fileName}`}>
            {isPicture(file) && addressOf(file) ? (
              <img src={addressOf(file)} alt="" loading="lazy" />
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
            {addressOf(file) && (
              <a href={addressOf(file)} download={file.fileName}>
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
  const address = addressOf(file);
  if (!address) return <p className={css.foot}>The content of this file is not kept.</p>;
  if (isPicture(file)) return <img src={address} alt={file.fileName} className={css.picture} />;
  if (isText(file)) return <TextContent address={address} />;
  return <p className={css.foot}>A file of type {file.mimeType} cannot be shown here. Download it to open it.</p>;
}

function TextContent({ address }: { address: string }) {
  const text = useText(address);
  if (text.error) return <Problem error={text.error} onRetry={() => void text.refetch()} />;
  if (text.data === undefined) return <Loading />;
  return (
    <pre className={css.text}>
      {text.data.text}
      {text.data.cut && "\n…"}
    </pre>
  );
}
