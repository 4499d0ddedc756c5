/** What a policy would have done: how many calls of each verdict, and the calls whose verdict changes. */

import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { urlPath } from "../../api/url";
import { Figures } from "../../shared/Figures";
import { ShowMore } from "../../shared/ListPage";
import layout from "../../shared/layout.module.css";
import {
  AsyncContent,
  type AsyncData,
  Badge,
  count,
  EmptyState,
  IconButton,
  Menu,
  plural,
  Table,
} from "../../ui";
import { useWorkflows } from "../../workflows/workflowApi";
import styles from "./Policy.module.css";
import type { PolicyDryRun } from "./policyApi";
import {
  type ChangeGroup,
  changeCounts,
  EFFECT_WORDS,
  groupChanges,
  verdictWords,
} from "./policyWords";

const SHOWN = 25;

const COLUMNS = [
  { id: "tool", label: "Tool" },
  { id: "verdict", label: "Now → then", width: "230px" },
  { id: "agent", label: "Agent" },
  { id: "calls", label: "Calls", align: "right" as const, width: "70px" },
  { id: "executions", label: "Executions", width: "150px" },
];

export function DryRunResult({ run }: { run: AsyncData<PolicyDryRun> }) {
  return (
    <AsyncContent query={run} lines={4}>
      {(result) => <Result result={result} />}
    </AsyncContent>
  );
}

function Result({ result }: { result: PolicyDryRun }) {
  const [most, setMost] = useState(SHOWN);
  const { calls, allowed, approvals, denied, skippedExecutions } = result;
  if (calls === 0) {
    return (
      <p className={layout.note}>
        No agent has called a tool yet, so there is nothing to try the policy on.
      </p>
    );
  }
  const groups = groupChanges(result.changed);
  const { stricter, laxer } = changeCounts(result);
  return (
    <div className={layout.stack}>
      <Figures
        label="Verdicts"
        figures={[
          ["Calls", count(calls)],
          ["Allowed", count(allowed)],
          ["Asked", count(approvals)],
          ["Denied", count(denied)],
          [
            "Change",
            count(result.changed.length),
            result.changed.length > 0 ? changeWords(stricter, laxer) : undefined,
          ],
        ]}
      />
      {skippedExecutions > 0 && (
        <p className={layout.warning}>
          {plural(skippedExecutions, "execution was", "executions were")} too large to be judged.
        </p>
      )}
      {groups.length === 0 ? (
        <p className={layout.note}>No call would be decided otherwise than now.</p>
      ) : (
        <Changes groups={groups.slice(0, most)} />
      )}
      {groups.length > most && (
        <ShowMore onClick={() => setMost(most + 4 * SHOWN)}>
          Show more ({count(most)} of {count(groups.length)})
        </ShowMore>
      )}
      <p className={layout.faint}>
        Limits are not part of it: what they refuse depends on when calls come.
      </p>
    </div>
  );
}

function changeWords(stricter: number, laxer: number): string {
  return [stricter > 0 && `${count(stricter)} stricter`, laxer > 0 && `${count(laxer)} laxer`]
    .filter(Boolean)
    .join(", ");
}

function Changes({ groups }: { groups: readonly ChangeGroup[] }) {
  const { data: workflows = [] } = useWorkflows();
  const [, go] = useLocation();
  const nameOf = (id: string) => workflows.find((row) => row.id === id)?.name ?? id;
  return (
    <Table
      label="Changed verdicts"
      columns={COLUMNS}
      rows={groups}
      rowKey={(group) => JSON.stringify(group.change)}
      empty={<EmptyState icon={Ellipsis} title="Nothing changes" text="" />}
      render={({ change, calls, executions }, column) => {
        if (column === "tool")
          return (
            <>
              <code className={layout.name}>{change.tool}</code>
              <div className={layout.faint}>{EFFECT_WORDS[change.effect] ?? change.effect}</div>
            </>
          );
        if (column === "verdict") return <VerdictChange change={change} />;
        if (column === "agent")
          return (
            <>
              <div>{change.agent}</div>
              <div className={layout.faint}>{nameOf(change.workflowId)}</div>
            </>
          );
        if (column === "calls") return count(calls);
        const [newest, ...others] = executions;
        const hrefOf = (id: string) => urlPath`/workflow/${change.workflowId}/executions/${id}`;
        return (
          <span className={styles.links}>
            {newest && <Link href={hrefOf(newest)}>{newest}</Link>}
            {others.length > 0 && (
              <Menu
                trigger={
                  <IconButton
                    icon={Ellipsis}
                    label={`${others.length} more executions`}
                    size="small"
                  />
                }
                items={others.slice(0, 20).map((id) => ({
                  label: `Execution ${id}`,
                  onSelect: () => go(hrefOf(id)),
                }))}
              />
            )}
          </span>
        );
      }}
    />
  );
}

function VerdictChange({ change: { now, then } }: { change: ChangeGroup["change"] }) {
  const [before, after] = [verdictWords(now), verdictWords(then)];
  const rule = then.rule ?? now.rule;
  return (
    <>
      <span className={styles.change}>
        <Badge tone={before.tone}>{before.label}</Badge>
        <span aria-hidden>→</span>
        <span className="visually-hidden">becomes</span>
        <Badge tone={after.tone}>{after.label}</Badge>
      </span>
      {rule && <div className={layout.faint}>{rule}</div>}
    </>
  );
}
