/** Tries the policy, as it is written now, on the last tool calls, when somebody asks for it. */

import { FlaskConical } from "lucide-react";
import { useState } from "react";
import layout from "../../shared/layout.module.css";
import { Button, count, EmptyState } from "../../ui";
import { DryRunResult } from "./DryRunResult";
import { MAX_CALLS, type Policy, useDryRun } from "./policyApi";

interface DryRunViewProps {
  policy: Policy;
  text: string;
  isChanged: boolean;
}

export function DryRunView({ policy, text, isChanged }: DryRunViewProps) {
  const [tried, setTried] = useState<string | null>(null);
  const run = useDryRun(tried ?? "", policy.version, tried !== null);
  const isOld = tried !== null && tried !== text;
  const start = () => {
    if (tried === text) void run.refetch();
    setTried(text);
  };
  if (tried === null) {
    return (
      <EmptyState
        icon={FlaskConical}
        title={isChanged ? "Try your changes first" : "Try the policy on past calls"}
        text={`Decides the last ${count(MAX_CALLS)} tool calls again with ${isChanged ? "the changed" : "this"} policy. Nothing is called, and nothing is counted.`}
        action={
          <Button kind="primary" icon={FlaskConical} onClick={start}>
            Start dry run
          </Button>
        }
      />
    );
  }
  return (
    <div className={layout.stack}>
      <div className={layout.row}>
        <Button icon={FlaskConical} busy={run.isFetching} onClick={start}>
          Run again
        </Button>
        {isOld && <span className={layout.warning}>The text has changed since this result.</span>}
      </div>
      <DryRunResult run={run} />
    </div>
  );
}
