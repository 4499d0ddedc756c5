/** All keys at a glance. */
import { Dialog, Kbd } from "../ui";
import styles from "./CommandPalette.module.css";
import { SHORTCUT_GROUPS } from "./shortcutList";

export function ShortcutsDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts" size="large">
      <div className={styles.groups}>
        {SHORTCUT_GROUPS.map((group) => (
          <section key={group.title}>
            <h3 className={styles.keysTitle}>{group.title}</h3>
            <dl className={styles.keys}>
              {group.rows.map((row) => (
                <div key={row.action}>
                  <dt>{row.action}</dt>
                  <dd>
                    {row.keys.map((keys) => (
                      <Kbd key={keys} keys={keys} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
