/** The line above the canvas while an old version is shown: what it is, how it differs from the draft, and the way back. */
import { GitCompare, RotateCcw, X } from "lucide-react";
import { useCanEdit } from "../api/session";
import { diffDocuments, summarizeDiff } from "../graph/documentDiff";
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { Button, cx, Time, toast } from "../ui";
import css from "./VersionBar.module.css";

/** Back to draft. */
export function leaveVersion() {
  useCanvas.setState({ difference: null });
  useEditor.getState().stopShowing();
}

export function VersionBar() {
  const canEdit = useCanEdit();
  const shown = useEditor((state) => (state.shown?.kind === "version" ? state.shown : null));
  const difference = useCanvas((state) => state.difference);
  if (!shown) return null;
  const compare = () => {
    const { draft, show } = useEditor.getState();
    if (!draft) return;
    const found = shown.compare ? null : diffDocuments(shown.document, draft);
    useCanvas.setState({ difference: found });
    show(found ? found.union : shown.document, { ...shown, compare: !shown.compare });
  };
  const restore = () => {
    leaveVersion();
    const { nodes, connections } = shown.document;
    useEditor
      .getState()
      .change("Restore version", (document) => ({ ...document, nodes, connections }));
    toast({
      text: "Version restored to your draft. Save to keep it.",
      undo: () => useEditor.getState().undo(),
    });
  };
  return (
    <div className={css.bar} role="status">
      <span className={css.words}>
        Version from <Time at={shown.at} />
        {!difference && <span className={css.only}>Read-only. Your draft is kept.</span>}
      </span>
      {difference && (
        <span className={css.legend}>
          {summarizeDiff(difference)}
          {(["added", "changed", "removed"] as const).map((change) => (
            <span key={change} className={css.key}>
              <span className={cx(css.swatch, css[change])} aria-hidden /> {change} since then
            </span>
          ))}
        </span>
      )}
      <span className={css.actions}>
        <Button size="small" icon={GitCompare} aria-pressed={shown.compare} onClick={compare}>
          {shown.compare ? "Hide changes" : "Compare with draft"}
        </Button>
        {canEdit && (
          <Button size="small" icon={RotateCcw} onClick={restore}>
            Restore
          </Button>
        )}
        <Button size="small" kind="primary" icon={X} onClick={leaveVersion}>
          Back to draft
        </Button>
      </span>
    </div>
  );
}
