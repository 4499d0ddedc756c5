/** The place for new documents: files are dropped or chosen, and their way into the collection can be watched. */
import { CircleAlert, CircleCheck, Clock, LoaderCircle, RotateCw } from "lucide-react";
import { useEffect, useReducer } from "react";
import { Button, Bytes, cx, DropArea, IconButton, plural, saidOf } from "../../ui";
import layout from "../layout.module.css";
import { addFile } from "./data";
import styles from "./Knowledge.module.css";
import { ACCEPTED, changed, next, progress, type Upload } from "./uploadList";

export function Uploads({ collection }: { collection: string }) {
  const [uploads, change] = useReducer(changed, []);
  const waiting = next(uploads);
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
      <DropArea label="Documents" accept={ACCEPTED} multiple onFiles={(files) => change({ what: "add", files })}>
        <span className={layout.name}>Drop files here, or choose them</span>
        <span className={layout.faint}>
          PDF, Word, CSV, JSON, HTML, Markdown, text. A file of the same name replaces the one before.
        </span>
      </DropArea>
      {uploads.length > 0 && (
        <div className={styles.uploads}>
          {isBusy && <progress className={styles.progress} value={progress(uploads)} max={1} aria-label="Documents added" />}
          {uploads.map((upload) => (
            <Row key={upload.id} upload={upload} onAgain={() => change({ what: "again", id: upload.id })} />
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
        ? saidOf(upload.error)
        : upload.state === "working"
          ? "Being read and embedded"
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
        <IconButton icon={RotateCw} label={`Try ${upload.file.name} again`} size="small" onClick={onAgain} />
      )}
    </div>
  );
}
