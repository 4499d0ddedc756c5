/** What of a workflow works here, node by node, before it is taken in. */
import { CircleCheck, CircleHelp, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import layout from "../../shared/layout.module.css";
import { cx } from "../../ui";
import {
  type Compatibility,
  type CompatibilityRow,
  SUPPORT_LABELS,
  type SupportLevel,
  sentence,
  summarizeCompatibility,
} from "../../workflows/compatibility";
import styles from "./CompatibilityReport.module.css";

const MARKS: Record<SupportLevel, LucideIcon> = {
  full: CircleCheck,
  differs: Info,
  version: TriangleAlert,
  unknown: CircleHelp,
};

export function CompatibilityReport({ report }: { report: Compatibility }) {
  return (
    <section className={layout.stack} aria-label="Compatibility report">
      <p>{summarizeCompatibility(report)}</p>
      {report.whole.map((problem) => (
        <p key={problem.code + problem.message} className={layout.note}>
          {sentence(problem.message)}
          {problem.hint && ` ${problem.hint}`}
        </p>
      ))}
      <ul className={styles.nodes}>
        {report.rows.map((row) => (
          <CompatibilityNode key={row.name} row={row} />
        ))}
      </ul>
    </section>
  );
}

function CompatibilityNode({ row }: { row: CompatibilityRow }) {
  const Mark = MARKS[row.support];
  return (
    <li className={styles.node}>
      <Mark size={15} className={cx(styles.mark, styles[row.support])} aria-hidden />
      <div className={layout.fill}>
        <div className={styles.head}>
          <span className={layout.name}>{row.name}</span>
          <span className={cx(layout.mono, layout.faint)}>
            {row.type} {row.typeVersion}
          </span>
        </div>
        {row.notes.map((note) => (
          <p key={note} className={layout.quiet}>
            {note}
          </p>
        ))}
        {row.problems.map((problem) => (
          <p key={problem.code + problem.message} className={layout.quiet}>
            {sentence(problem.message)}
            {problem.hint && ` ${problem.hint}`} <code className={styles.code}>{problem.code}</code>
          </p>
        ))}
      </div>
      <span className={cx(styles.word, styles[row.support])}>{SUPPORT_LABELS[row.support]}</span>
    </li>
  );
}
