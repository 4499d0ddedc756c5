/** The place for new documents: files are dropped or chosen, and their way into the collection can be watched. */
import { CircleAlert, CircleCheck, Clock, FileUp, LoaderCircle, RotateCw } from "lucide-react";
import { type DragEvent, useEffect, useReducer, useRef, useState } from "react";
import { Button, Bytes, cx, IconButton, plural } from "../../ui";
import layout from "../layout.module.css";
import { saidOf } from "../task";
import { addFile } from "./data";
import styles from "./Knowledge.module.css";
import { ACCEPTED, changed, next, progress, type Upload } from "./uploadList";

export function Uploads({ collection }: { collection: string }) {
  const [uploads, change] = useReducer(changed, []);
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const waiting = next(uploads);
  useEffect(() => {
    if (!waiting) return;
    change({ what: "begin", id: waiting.id });
    addFile(collection, waiting.file).then(
      (chunks) => change({ what: "done", id: waiting.id, chunks }),
      (error) => change({ what: "fail", id: waiting.id, error }),
    );
  }, [waiting, collection]);
  const take = (files: FileList | null) => files && change({ what: "add", files: [...files] });
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  const isBusy = uploads.some((upload) => upload.state === "working" || upload.state === "waiting");
  return (
    <section aria-label="Add documents">
      <button
        type="button"
        className={cx(styles.drop, over && styles.over)}
        onClick={() => input.current?.click()}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <FileUp size={18} aria-hidden />
        <span>
          <span className={layout.name}>Drop files here, or choose them</span>
          <span className={layout.faint}>
            {" "}
            PDF, Word, CSV, JSON, HTML, Markdown, text. A file of the same name replaces the one before.
          </span>
        </span>
      </button>
      <input
        ref={input}
        type="file"
        multiple
        accept={ACCEPTED}
        hidden
        aria-label="Documents"
        onChange={(event) => {
          take(event.target.files);
          event.target.value = "";
        }}
      />
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
