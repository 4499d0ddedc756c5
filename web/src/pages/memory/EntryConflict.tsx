/** Says that somebody else has changed an entry meanwhile, and how their text differs. Nothing was overwritten. */

import { DiffView } from "../../shared/DiffView";
import layout from "../../shared/layout.module.css";
import { diffLines } from "../../shared/lineDiff";
import { Button, cx, Time } from "../../ui";
import styles from "./Memory.module.css";
import type { MemoryEntry } from "./memoryApi";

interface EntryConflictProps {
  theirs: MemoryEntry;
  mine: string;
  onTake: () => void;
}

export function EntryConflict({ theirs, mine, onTake }: EntryConflictProps) {
  return (
    <section className={cx(layout.note, layout.stack, styles.conflict)} role="alert">
      <div className={layout.row}>
        <span className={layout.fill}>
          The entry was changed <Time at={theirs.updatedAt} /> (version {theirs.version}). Nothing
          was overwritten. Removed lines are theirs, added lines are yours.
        </span>
        <Button size="small" onClick={onTake}>
          Take theirs
        </Button>
      </div>
      <DiffView wrap label="Their text and yours" lines={diffLines(theirs.text, mine)} />
    </section>
  );
}
