// The difference of two texts as marked lines; what is far from any change is folded.

import { cx, plural } from "../ui";
import css from "./DiffView.module.css";
import { type DiffLine, hunks } from "./lineDiff";

const MARKS = { same: " ", removed: "−", added: "+" };

interface DiffViewProps {
  lines: readonly DiffLine[];
  label: string;
  /** For prose: long lines go on in the next one instead of out of sight. */
  wrap?: boolean;
}

export function DiffView({ lines, label, wrap }: DiffViewProps) {
  return (
    <pre
      className={cx(css.lines, wrap && css.wrapped)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      {hunks(lines).map((line, index) =>
        line.kind === "gap" ? (
          <span key={index} className={css.gap}>
            {plural(line.n, "unchanged line")}
          </span>
        ) : (
          <span
            key={index}
            className={cx(
              line.kind === "removed" && css.removed,
              line.kind === "added" && css.added,
            )}
          >
            <i aria-hidden>{MARKS[line.kind]}</i>
            {line.kind !== "same" && <span className="visually-hidden">{line.kind}: </span>}
            {line.text}
          </span>
        ),
      )}
    </pre>
  );
}
