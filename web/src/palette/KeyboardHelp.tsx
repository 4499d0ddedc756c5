/** All keys at a glance. */
import { Dialog, Kbd } from "../ui";
import { KEYS } from "./keys";
import styles from "./Palette.module.css";

export function KeyboardHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Keys" size="large">
      <div className={styles.groups}>
        {KEYS.map((group) => (
          <section key={group.title}>
            <h3 className={styles.keysTitle}>{group.title}</h3>
            <dl className={styles.keys}>
              {group.rows.map((row) => (
                <div key={row.does}>
                  <dt>{row.does}</dt>
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
