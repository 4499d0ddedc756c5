/** What is stopped right now, and the way to let it go on. */

import { OctagonX } from "lucide-react";
import layout from "../../shared/layout.module.css";
import { Button, confirm, cx, toast, tryAction } from "../../ui";
import styles from "./Policy.module.css";
import { type Policy, removeStop } from "./policyApi";

export function StopList({ stops }: { stops: Policy["stops"] }) {
  if (stops.length === 0) return null;
  const remove = async (name: string) => {
    const sure = await confirm({
      title: `Remove “${name}”?`,
      text: "Its tools can be called again, and its agents can start again, at once.",
      action: "Remove stop",
    });
    if (sure && (await tryAction(() => removeStop(name))))
      toast({ text: `“${name}” removed`, tone: "good" });
  };
  return (
    <section aria-label="Stopped now">
      <ul className={styles.stops}>
        {stops.map(({ name, reason }) => (
          <li key={name} className={cx(layout.note, styles.alarm)}>
            <OctagonX size={16} aria-hidden />
            <div className={layout.fill}>
              <p className={layout.name}>{name}</p>
              <p>{reason || "No reason given."}</p>
            </div>
            <Button size="small" aria-label={`Remove ${name}`} onClick={() => void remove(name)}>
              Remove stop
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
