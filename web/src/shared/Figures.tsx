// The few numbers that say how something stands, side by side.

import styles from "./Figures.module.css";

/** What it is called, its value, and what is said beside it. */
export type Figure = readonly [label: string, value: string, more?: string];

export function Figures({ figures, label }: { figures: readonly Figure[]; label: string }) {
  return (
    <dl className={styles.figures} aria-label={label}>
      {figures.map(([name, value, more]) => (
        <div key={name} className={styles.figure}>
          <dt>{name}</dt>
          <dd>
            {value} {more && <small>{more}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
