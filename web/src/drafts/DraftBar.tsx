/** The line above the canvas that offers unsaved changes of an earlier session, after a crash, a reload or a closed tab. */
import { FileClock, RotateCcw, Trash2 } from "lucide-react";
import { useMemo } from "react";
import { useEditor } from "../store/editorStore";
import { Button, clockTime, cx, exactTime } from "../ui";
import css from "./DraftBar.module.css";
import {
  discardDraft,
  isDraftOutdated,
  restoreDraft,
  summarizeChanges,
  useRestoreOffer,
} from "./restoreOffer";

export function DraftBar() {
  const offer = useRestoreOffer((state) => state.offer);
  const savedVersion = useEditor((state) => state.savedVersion);
  const savedAt = useEditor((state) => state.saved?.updatedAt);
  const isShown = useEditor((state) => state.shown === null && !state.readOnly);
  const changes = useMemo(() => offer && summarizeChanges(offer.draft), [offer]);
  if (!offer || !isShown) return null;
  const { draft } = offer;
  const now = new Date();
  const at = new Date(draft.at);
  const isOld = isDraftOutdated(draft, savedVersion);
  return (
    <section className={cx(css.bar, isOld && css.outdated)} aria-label="Unsaved changes">
      <FileClock size={16} className={css.mark} aria-hidden />
      <p className={css.words} role="status">
        <span className={css.title}>
          {savedVersion === null
            ? `Unsaved workflow “${draft.document.name}” from `
            : "Unsaved changes from "}
          <time dateTime={at.toISOString()} title={exactTime(at)}>
            {clockTime(at, now)}
          </time>
        </span>
        <span className={css.text}>
          {changes}
          {isOld &&
            ` · This workflow was saved again${savedAt ? ` at ${clockTime(new Date(savedAt), now)}` : ""}. Restoring replaces that version on the canvas. It remains available in Versions.`}
        </span>
      </p>
      <span className={css.actions}>
        <Button size="small" icon={Trash2} onClick={() => discardDraft(offer)}>
          Discard
        </Button>
        <Button
          size="small"
          kind={isOld ? "plain" : "primary"}
          icon={RotateCcw}
          onClick={() => restoreDraft(offer)}
        >
          Restore unsaved changes
        </Button>
      </span>
    </section>
  );
}
