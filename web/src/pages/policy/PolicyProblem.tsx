/** Says that the stored policy cannot be read, which refuses every tool call. */

import { OctagonAlert } from "lucide-react";
import layout from "../../shared/layout.module.css";
import { cx } from "../../ui";
import styles from "./Policy.module.css";

export function PolicyProblem({ problem }: { problem: string }) {
  return (
    <div className={cx(layout.note, styles.alarm)} role="alert">
      <OctagonAlert size={16} aria-hidden />
      <div className={layout.fill}>
        <p className={layout.name}>The policy cannot be read. All tool calls are refused.</p>
        <p>{problem}</p>
        <p>Correct the text and save it. Calls are made again as soon as a valid policy applies.</p>
      </div>
    </div>
  );
}
