/** How a built-in model stands: there, on its way, or to be downloaded by whoever may. */
import { Download } from "lucide-react";
import { downloadLocalModel, type LocalModel } from "../api/localModels";
import { useIsAdmin } from "../api/session";
import { Badge, Button, bytes, tryAction, useAsyncAction } from "../ui";
import css from "./LocalModelStatus.module.css";

export function LocalModelStatus({ model }: { model: LocalModel }) {
  const isAdmin = useIsAdmin();
  const task = useAsyncAction();
  const start = () => task.run(() => tryAction(() => downloadLocalModel(model.name)));
  if (model.state === "ready") return <Badge tone="good">Ready</Badge>;
  if (model.state === "downloading") {
    const done = model.downloadedBytes ?? 0;
    return (
      <span className={css.progress} role="status">
        <progress value={done} max={model.bytes} aria-label={`Download of ${model.name}`} />
        {done < model.bytes ? `${bytes(done)} of ${bytes(model.bytes)}` : "Installing"}
      </span>
    );
  }
  return (
    <>
      {model.state === "failed" && <Badge tone="bad">Download failed</Badge>}
      {model.state === "missing" && !isAdmin && <Badge>Not downloaded</Badge>}
      {isAdmin && (
        <Button icon={Download} size="small" busy={task.busy} onClick={() => void start()}>
          {model.state === "failed" ? "Try again" : `Download (${bytes(model.bytes)})`}
        </Button>
      )}
      {model.error && (
        <p className={css.error} role="alert">
          {model.error}
        </p>
      )}
    </>
  );
}
