/** The last look before a policy is saved: which lines change, which stops go, and what it would have done to past calls. */

import { OctagonAlert } from "lucide-react";
import { ApiError } from "../../api/client";
import { DiffView } from "../../shared/DiffView";
import layout from "../../shared/layout.module.css";
import { diffLines } from "../../shared/lineDiff";
import { cx, FormDialog, toast, tryAction } from "../../ui";
import { DryRunResult } from "./DryRunResult";
import styles from "./Policy.module.css";
import { type Policy, savePolicy, useDryRun } from "./policyApi";
import { isProblem, readPolicy } from "./policyDocument";
import { usePolicyDraft } from "./policyDraft";

interface ReviewDialogProps {
  policy: Policy;
  text: string;
  onClose: () => void;
}

export function ReviewDialog({ policy, text, onClose }: ReviewDialogProps) {
  const { discard } = usePolicyDraft();
  const run = useDryRun(text, policy.version);
  const lost = lostStops(policy, text);
  const isRefused = run.error instanceof ApiError && run.error.code === "POLICY_INVALID";
  const save = async () => {
    const saved = await savePolicy(text, policy.version);
    discard();
    toast({
      text: `Version ${saved.version} is in force`,
      tone: "good",
      undo: () => void tryAction(() => savePolicy(policy.text, saved.version)),
    });
  };
  return (
    <FormDialog
      title="Review and save"
      size="large"
      action="Save policy"
      danger={lost.length > 0}
      disabled={isRefused}
      onSubmit={save}
      onClose={onClose}
    >
      {lost.length > 0 && (
        <div className={cx(layout.note, styles.alarm)} role="alert">
          <OctagonAlert size={16} aria-hidden />
          <span>Saving removes stops that are in force: {lost.join(", ")}</span>
        </div>
      )}
      <section aria-label="Changes">
        <h3 className={layout.part}>Changes to version {policy.version}</h3>
        <DiffView label="Changes of the policy" lines={diffLines(policy.text, text)} />
      </section>
      <section aria-label="Dry run">
        <h3 className={layout.part}>What it would have done to the last tool calls</h3>
        <DryRunResult run={run} />
      </section>
    </FormDialog>
  );
}

/** The stops in force that a text does not have. */
function lostStops(policy: Policy, text: string): string[] {
  const read = readPolicy(text);
  if (isProblem(read)) return [];
  const kept = new Set(read.entries.stop.map((stop) => stop.title));
  return policy.stops.map((stop) => stop.name).filter((name) => !kept.has(name));
}
