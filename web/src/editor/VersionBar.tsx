/** The line above the canvas while an old version is shown: what it is, how it differs from the draft, and the way back. */
import { GitCompare, RotateCcw, X } from "lucide-react";
import { useMayChange } from "../api/session";
import { differenceOf, summaryOf } from "../graph/diff";
import { Button, cx, Time, toast } from "../ui";
import { useCanvas } from "./canvas";
import { useEditor } from "./store";
import css from "./VersionBar.module.css";

/** Back to the draft. */
export function leaveVersion() {
  useCanvas.setState({ difference: null });
  useEditor.getState().endShow();
}

export function VersionBar() {
  const mayChange = useMayChange();
  const shown = useEditor((state) => (state.shown?.kind === "version" ? state.shown : null));
  const difference = useCanvas((state) => state.difference);
  if (!shown) return null;
  const compare = () => {
    const { draft, show } = useEditor.getState();
    if (!draft) return;
    const found = shown.compare ? null : differenceOf(shown.document, draft);
    useCanvas.setState({ difference: found });
    show(found ? found.union : shown.document, { ...shown, compare: !shown.compare });
  };
  const restore = () => {
    leaveVersion();
    const { nodes, connections } = shown.document;
    useEditor.getState().change("Restore a version", (document) => ({ ...document, nodes, connections }));
    toast({ text: "The version is back as your draft. Save to keep it.", undo: () => useEditor.getState().undo() });
  };
  return (
    <div className={css.bar} role="status">
      <span className={css.words}>
        Version of <Time at={shown.at} />
        {!difference && <span className={css.only}>Only shown; your draft is kept.</span>}
      </span>
      {difference && (
        <span className={css.legend}>
          {summaryOf(difference)}
          {(["added", "changed", "removed"] as const).map((change) => (
            <span key={change} className={css.key}>
              <span className={cx(css.swatch, css[change])} aria-hidden /> {change} since
            </span>
          ))}
        </span>
      )}
      <span className={css.actions}>
        <Button size="small" icon={GitCompare} aria-pressed={shown.compare} onClick={compare}>
          {shown.compare ? "Show it alone" : "Compare with the draft"}
        </Button>
        {mayChange && (
          <Button size="small" icon={RotateCcw} onClick={restore}>
            Restore
          </Button>
        )}
        <Button size="small" kind="primary" icon={X} onClick={leaveVersion}>
          Back to the draft
        </Button>
      </span>
    </div>
  );
}
