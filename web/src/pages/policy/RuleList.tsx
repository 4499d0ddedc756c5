/** The entries of a policy to read: what is asked of each call, and what becomes of it. */

import { FileText, Pencil, ShieldAlert, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import layout from "../../shared/layout.module.css";
import { Badge, Button, IconButton, Select, toast, tryAction } from "../../ui";
import { useWorkflows } from "../../workflows/workflowApi";
import styles from "./Policy.module.css";
import type { ListedEntry, PolicyDocument } from "./policyDocument";
import { addEntry, removeEntry, setDefault } from "./policyEdits";
import { type EntryKind, newEntry, type PolicyEntry } from "./policyEntry";
import { ACTION_WORDS, conditionSentence, EFFECT_WORDS } from "./policyWords";

interface RuleListProps {
  document: PolicyDocument;
  text: string;
  onChange: (text: string) => void;
  onEdit: (entry: PolicyEntry, index: number) => void;
  onText: () => void;
}

const DEFAULTS = [
  { value: "allow", label: "Allowed", hint: "Rules take away" },
  { value: "deny", label: "Denied", hint: "Only what a rule allows may be called" },
];

/** Rules to begin with. */
const EXAMPLES: readonly { label: string; entry: PolicyEntry }[] = [
  {
    label: "Ask before money is spent",
    entry: { ...newEntry("rule"), name: "spending", effects: ["spend"] },
  },
  {
    label: "Ask before changes after untrusted content",
    entry: {
      ...newEntry("rule"),
      name: "after untrusted content",
      effects: ["write", "send", "spend"],
      untrusted: true,
    },
  },
  {
    label: "At most 100 calls per conversation in an hour",
    entry: { ...newEntry("limit"), name: "calls per conversation", calls: 100 },
  },
];

export function RuleList({ document, text, onChange, onEdit, onText }: RuleListProps) {
  const { rule, limit, effect, stop } = document.entries;
  const { data: workflows = [] } = useWorkflows();
  const nameOf = (id: string) => workflows.find((row) => row.id === id)?.name ?? id;
  const isEmpty = rule.length + limit.length + effect.length === 0;
  const remove = (kind: EntryKind, index: number, title: string) =>
    tryAction(async () => {
      onChange(removeEntry(text, kind, index));
      toast({ text: `“${title}” removed from the draft`, undo: () => onChange(text) });
    });
  const list = (kind: EntryKind, listed: readonly ListedEntry[]) => (
    <ol className={styles.entries} aria-label={SECTIONS[kind]}>
      {listed.map((one, index) => (
        <EntryRow
          key={index}
          listed={one}
          nameOf={nameOf}
          onEdit={() => (one.isTextOnly ? onText() : onEdit(one.entry, index))}
          onRemove={() => void remove(kind, index, one.title)}
        />
      ))}
    </ol>
  );
  return (
    <div className={layout.groups}>
      <section aria-label="Rules">
        <div className={styles.sectionHead}>
          <div>
            <h2 className={layout.part}>Rules</h2>
            <p className={layout.faint}>
              If several match, the strictest counts: deny, then ask, then allow.
            </p>
          </div>
          <div className={styles.default}>
            <span className={layout.quiet}>Calls that no rule matches are</span>
            <Select
              dense
              className={layout.choice}
              label="Calls that no rule matches are"
              value={document.defaultAction}
              options={DEFAULTS}
              onChange={(value) => onChange(setDefault(text, value === "deny" ? "deny" : "allow"))}
            />
          </div>
        </div>
        {rule.length > 0 && list("rule", rule)}
        {isEmpty && (
          <div className={styles.start}>
            <ShieldAlert size={18} aria-hidden />
            <div className={layout.stack}>
              <p className={layout.quiet}>
                {document.defaultAction === "deny"
                  ? "Nothing is allowed: every tool call is refused until a rule allows it."
                  : "Nothing is restricted. Agents may call every tool that their workflow gives them."}
              </p>
              <div className={layout.chips}>
                {EXAMPLES.map(({ label, entry }) => (
                  <Button key={label} size="small" onClick={() => onChange(addEntry(text, entry))}>
                    {label}
                  </Button>
                ))}
              </div>
            </div>
          </div>
        )}
      </section>
      {limit.length > 0 && (
        <Section
          kind="limit"
          text="Counted in fixed windows, per server process. A call over the limit is not made."
        >
          {list("limit", limit)}
        </Section>
      )}
      {effect.length > 0 && (
        <Section kind="effect" text="What tools do, where you know better than their node.">
          {list("effect", effect)}
        </Section>
      )}
      {stop.length > 0 && (
        <Section kind="stop" text="What is stopped now. A stop is removed above, or in the text.">
          {list("stop", stop)}
        </Section>
      )}
    </div>
  );
}

const SECTIONS: Record<EntryKind, string> = {
  rule: "Rules",
  limit: "Limits",
  effect: "Effects",
  stop: "Stops",
};

interface SectionProps {
  kind: EntryKind;
  text: string;
  children: ReactNode;
}

function Section({ kind, text, children }: SectionProps) {
  return (
    <section aria-label={SECTIONS[kind]}>
      <div className={styles.sectionHead}>
        <div>
          <h2 className={layout.part}>{SECTIONS[kind]}</h2>
          <p className={layout.faint}>{text}</p>
        </div>
      </div>
      {children}
    </section>
  );
}

interface EntryRowProps {
  listed: ListedEntry;
  /** The name of a workflow. */
  nameOf: (id: string) => string;
  onEdit: () => void;
  onRemove: () => void;
}

function EntryRow({ listed, nameOf, onEdit, onRemove }: EntryRowProps) {
  const { entry, title, isTextOnly } = listed;
  return (
    <li className={styles.entry}>
      <span className={styles.verdict}>
        <Verdict entry={entry} />
      </span>
      <div className={styles.said}>
        <p className={layout.name}>{title}</p>
        <Conditions entry={entry} nameOf={nameOf} />
        {entry.reason && <p className={layout.faint}>“{entry.reason}”</p>}
      </div>
      {entry.kind !== "stop" && (
        <span className={styles.entryActions}>
          <IconButton
            icon={isTextOnly ? FileText : Pencil}
            label={isTextOnly ? `Edit the text of ${title}` : `Edit ${title}`}
            size="small"
            onClick={onEdit}
          />
          <IconButton icon={Trash2} label={`Remove ${title}`} size="small" onClick={onRemove} />
        </span>
      )}
    </li>
  );
}

function Verdict({ entry }: { entry: PolicyEntry }) {
  if (entry.kind === "stop") return <Badge tone="bad">Stopped</Badge>;
  if (entry.kind === "limit") return <Badge tone="accent">Limit</Badge>;
  if (entry.kind === "effect") return <Badge>{EFFECT_WORDS[entry.effect] ?? entry.effect}</Badge>;
  const action = ACTION_WORDS[entry.action];
  return <Badge tone={action?.tone}>{action?.label ?? entry.action}</Badge>;
}

/** When an entry counts, as a sentence in which the names stand out. */
function Conditions({ entry, nameOf }: { entry: PolicyEntry; nameOf: (id: string) => string }) {
  return (
    <p className={styles.sentence}>
      {conditionSentence(entry, nameOf).map((piece, at) =>
        typeof piece === "string" ? piece : <code key={at}>{piece.name}</code>,
      )}
    </p>
  );
}
