// One of the two executions that are compared: which, how it ended, and a way to choose another.

import { Link } from "wouter";
import { urlPath } from "../../api/url";
import { useExecutions, useWorkflowNames } from "../../run/executionApi";
import { elapsed, type RunView } from "../../run/runView";
import { duration, exactTime, getStatusInfo, Select, StatusMark, Time } from "../../ui";
import css from "./Compare.module.css";

interface CompareHeaderProps {
  side: "a" | "b";
  id: string;
  view: RunView | undefined;
  /** The workflow of the other one. */
  like: string | undefined;
  onChoose: (id: string) => void;
}

const NO_FILTERS = {};
const SAME = "Same workflow";

export function CompareHeader({ side, id, view, like, onChoose }: CompareHeaderProps) {
  const { rows } = useExecutions(NO_FILTERS);
  const names = useWorkflowNames();
  const options = rows.map((row) => ({
    value: String(row.id),
    label: `${row.workflowName ?? names.get(row.workflowId) ?? row.workflowId} · execution ${row.id}`,
    hint: `${getStatusInfo(row.status).label}, ${exactTime(new Date(row.startedAt))}`,
    group: row.workflowId === like ? SAME : "Other workflows",
  }));
  // One that is older than the list still has its name here.
  if (view && !rows.some((row) => String(row.id) === id)) {
    const label = `${names.get(view.workflowId) ?? view.workflowId} · execution ${id}`;
    options.unshift({
      value: id,
      label,
      hint: getStatusInfo(view.status).label,
      group: view.workflowId === like ? SAME : "",
    });
  }
  // Two runs of one workflow are what is mostly compared.
  if (like) options.sort((one, other) => Number(other.group === SAME) - Number(one.group === SAME));
  const label = side === "a" ? "First execution" : "Second execution";
  return (
    <section className={css.head} aria-label={label}>
      <Select
        label={label}
        value={id || undefined}
        onChange={onChoose}
        options={options}
        placeholder="Select an execution"
      />
      {view && (
        <p>
          <StatusMark status={view.status} />
          <span>{duration(elapsed(view, Date.now()))}</span>
          <Time at={view.startedAt} />
          <Link href={urlPath`/workflow/${view.workflowId}/executions/${view.executionId}`}>
            Open
          </Link>
        </p>
      )}
    </section>
  );
}
