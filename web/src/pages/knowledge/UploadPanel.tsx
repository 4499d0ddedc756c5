/** The place for new documents: files are dropped or chosen, and their way into the collection can be watched. */
import { CircleAlert, CircleCheck, Clock, LoaderCircle, RotateCw } from "lucide-react";
import { useEffect, useReducer } from "react";
import layout from "../../shared/layout.module.css";
import { Button, Bytes, cx, DropZone, errorText, IconButton, plural } from "../../ui";
import styles from "./Knowledge.module.css";
import { addFile } from "./knowledgeApi";
import {
  ACCEPTED,
  applyUploadChange,
  nextUpload,
  type Upload,
  uploadProgress,
} from "./uploadQueue";

export function UploadPanel({ collection }: { collection: string }) {
  const [uploads, change] = useReducer(applyUploadChange, []);
  const waiting = nextUpload(uploads);
  useEffect(() => {
    if (!waiting) return;
    change({ what: "begin", id: waiting.id });
    addFile(collection, waiting.file).then(
      (chunks) => change({ what: "done", id: waiting.id, chunks }),
      (error) => change({ what: "fail", id: waiting.id, error }),
    );
  }, [waiting, collection]);
  const isBusy = uploads.some((upload) => upload.state === "working" || upload.state === "waiting");
  return (
    <section aria-label="Add documents">
      <DropZone
        label="Documents"
        accept={ACCEPTED}
        multiple
        onFiles={(files) => change({ what: "add", files })}
      >
        <span className={layout.name}>Drop files here or click to browse</span>
        <span className={layout.faint}>
          PDF, Word, CSV, JSON, HTML, Markdown, text. Replaces existing files with the same name.
        </span>
      </DropZone>
      {uploads.length > 0 && (
        <div className={styles.uploads}>
          {isBusy && (
            <progress
              className={styles.progress}
              value={uploadProgress(uploads)}
              max={1}
              aria-label="Uploads"
            />
          )}
          {uploads.map((upload) => (
            <Row
              key={upload.id}
              upload={upload}
              onAgain={() => change({ what: "again", id: upload.id })}
            />
          ))}
          {!isBusy && (
            <Button size="small" kind="quiet" onClick={() => change({ what: "clear" })}>
              Clear list
            </Button>
          )}
        </div>
      )}
    </section>
  );
}

const MARKS = { waiting: Clock, working: LoaderCircle, done: CircleCheck, failed: CircleAlert };

function Row({ upload, onAgain }: { upload: Upload; onAgain: () => void }) {
  const Mark = MARKS[upload.state];
  const words =
    upload.state === "done"
      ? plural(upload.chunks ?? 0, "chunk")
      : upload.state === "failed"
        ? errorText(upload.error)
        : upload.state === "working"
          ? "Processing"
          : "Waiting";
  return (
    <div className={cx(styles.upload, styles[upload.state])} role="status">
      <Mark size={15} aria-hidden />
      <span className={layout.name}>{upload.file.name}</span>
      <span className={layout.faint}>
        <Bytes n={upload.file.size} />
      </span>
      <span className={cx(layout.fill, layout.quiet)}>{words}</span>
      {upload.state === "failed" && (
        <IconButton
          icon={RotateCw}
          label={`Retry ${upload.file.name}`}
          size="small"
          onClick={onAgain}
        />
      )}
    </div>
  );
}
