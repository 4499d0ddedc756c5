/** The policy: what is stopped, the rules about tool calls, their text, and what a change of them would have done. */

import { FileText, FlaskConical, ListChecks, OctagonX, Plus } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import layout from "../../shared/layout.module.css";
import { AsyncContent, Button, cx, EmptyState, Menu, Page, Tabs, Time } from "../../ui";
import { displayName, useUsers } from "../settings/userApi";
import { DraftBar } from "./DraftBar";
import { DryRunView } from "./DryRunView";
import { EntryDialog } from "./EntryDialog";
import styles from "./Policy.module.css";
import { PolicyProblem } from "./PolicyProblem";
import { PolicyText } from "./PolicyText";
import { type Policy, usePolicy } from "./policyApi";
import { isProblem, readPolicy } from "./policyDocument";
import { usePolicyDraft } from "./policyDraft";
import { addEntry, changeEntry } from "./policyEdits";
import { type EntryKind, newEntry, type PolicyEntry } from "./policyEntry";
import { RuleList } from "./RuleList";
import { StopDialog } from "./StopDialog";
import { StopList } from "./StopList";

const TABS = [
  { id: "rules", label: "Rules", icon: ListChecks },
  { id: "text", label: "Text", icon: FileText },
  { id: "try", label: "Dry run", icon: FlaskConical },
];

export default function PolicyPage() {
  const policy = usePolicy();
  if (!policy.data) {
    return (
      <Page>
        <AsyncContent query={policy} lines={6} />
      </Page>
    );
  }
  return <LoadedPolicy policy={policy.data} />;
}

function LoadedPolicy({ policy }: { policy: Policy }) {
  const [params, setParams] = useSearchParams();
  const { draft, write, discard, follow } = usePolicyDraft();
  const [edited, setEdited] = useState<{ entry: PolicyEntry; index: number | null } | null>(null);
  const [isStopping, setStopping] = useState(false);
  const tab = TABS.find((one) => one.id === params.get("tab"))?.id ?? "rules";
  const text = draft ?? policy.text;
  const isChanged = draft !== null && draft !== policy.text;
  const change = (next: string) => (next === policy.text ? discard() : write(next, policy));
  const read = useMemo(() => readPolicy(text), [text]);
  useUnloadGuard(isChanged);
  useEffect(() => {
    follow(policy);
  }, [policy, follow]);
  const add = (kind: EntryKind) => setEdited({ entry: newEntry(kind), index: null });
  const save = (entry: PolicyEntry) => {
    const index = edited?.index ?? null;
    change(index === null ? addEntry(text, entry) : changeEntry(text, index, entry));
  };
  const showTab = (id: string) => setParams(id === "rules" ? {} : { tab: id }, { replace: true });
  return (
    <Page
      text={
        <>
          Rules about the tools that agents call. They hold for every agent of the instance.
          <span className={cx(layout.faint, styles.version)}>
            <Version policy={policy} />
          </span>
        </>
      }
      actions={
        <>
          <Menu
            trigger={
              <Button icon={Plus} disabled={isProblem(read)}>
                Add
              </Button>
            }
            items={[
              { label: "Rule", onSelect: () => add("rule") },
              { label: "Limit", onSelect: () => add("limit") },
              { label: "Effect of a tool", onSelect: () => add("effect") },
            ]}
          />
          <Button kind="danger" icon={OctagonX} onClick={() => setStopping(true)}>
            Stop tools or agents
          </Button>
        </>
      }
      tabs={<Tabs label="Policy" value={tab} onChange={showTab} tabs={TABS} />}
    >
      <div className={layout.groups}>
        {policy.problem !== null && <PolicyProblem problem={policy.problem} />}
        <StopList stops={policy.stops} />
        <div role="tabpanel">
          {tab === "text" && (
            <PolicyText
              text={text}
              inForce={policy.problem}
              isChanged={isChanged}
              onChange={change}
            />
          )}
          {tab === "try" && <DryRunView policy={policy} text={text} isChanged={isChanged} />}
          {tab === "rules" &&
            (isProblem(read) ? (
              <EmptyState
                icon={FileText}
                title={`The text has an error in line ${read.line}`}
                text={`${read.message}. Fix it in the text to see the rules.`}
                action={<Button onClick={() => showTab("text")}>Open the text</Button>}
              />
            ) : (
              <RuleList
                document={read}
                text={text}
                onChange={change}
                onEdit={(entry, index) => setEdited({ entry, index })}
                onText={() => showTab("text")}
              />
            ))}
        </div>
        {isChanged && <DraftBar policy={policy} text={draft} />}
      </div>
      {edited && (
        <EntryDialog
          entry={edited.entry}
          isNew={edited.index === null}
          onSave={save}
          onClose={() => setEdited(null)}
        />
      )}
      {isStopping && <StopDialog onClose={() => setStopping(false)} />}
    </Page>
  );
}

function Version({ policy: { version, changedBy, changedAt } }: { policy: Policy }) {
  const people = useUsers();
  if (changedAt === null) return "No version has been saved yet.";
  const person = people.data?.find((one) => one.id === changedBy);
  return (
    <>
      Version {version}, changed <Time at={changedAt} /> by{" "}
      {person ? displayName(person) : changedBy}.
    </>
  );
}

/** Asks before the browser leaves changes behind. Pages of the editor keep them. */
function useUnloadGuard(isChanged: boolean) {
  useEffect(() => {
    if (!isChanged) return;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", onUnload);
    return () => window.removeEventListener("beforeunload", onUnload);
  }, [isChanged]);
}
