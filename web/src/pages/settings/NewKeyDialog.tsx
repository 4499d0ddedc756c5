/** Makes an API key. */
import { useState } from "react";
import { type Me, useMe } from "../../api/session";
import { Button, Checkbox, Dialog, Field, Input, Problem, Select, useTask } from "../../ui";
import { words } from "../credentials/kinds";
import layout from "../layout.module.css";
import { createKey, endsIn, type NewKey, readingOnly, scopeGroups } from "./keys";
import styles from "./Settings.module.css";

const ENDS = [
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "0", label: "Never" },
];

const REACHES = [
  { value: "all", label: "Everything I may" },
  { value: "read", label: "Read only" },
  { value: "some", label: "Some scopes" },
];

export function NewKeyDialog({ onClose, onDone }: { onClose: () => void; onDone: (key: NewKey) => void }) {
  const me = useMe();
  const known = (me.data as (Me & { scopes?: string[] }) | undefined)?.scopes ?? [];
  const [label, setLabel] = useState("");
  const [ends, setEnds] = useState("90");
  const [reach, setReach] = useState("read");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const task = useTask();
  const scopes = reach === "all" ? null : reach === "read" ? readingOnly(known) : chosen;
  const toggle = (scope: string, on: boolean) => setChosen(on ? [...chosen, scope] : chosen.filter((one) => one !== scope));
  const create = () => task.run(async () => onDone(await createKey(label.trim(), scopes, endsIn(Number(ends), new Date()))));
  const footer = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" busy={task.busy} disabled={label.trim() === "" || scopes?.length === 0} onClick={create}>
        Make key
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title="New API key" footer={footer}>
      <div className={layout.stack}>
        <Field label="Name" hint="What it is for, so that you know what stops when you revoke it.">
          <Input
            value={label}
            onChange={(event) => setLabel(event.target.value)}
            maxLength={50}
            placeholder="Backup script"
            autoFocus
          />
        </Field>
        <div className={layout.columns}>
          <Field label="May do">
            <Select label="May do" value={reach} options={REACHES} onChange={setReach} />
          </Field>
          <Field label="Ends">
            <Select label="Ends" value={ends} options={ENDS} onChange={setEnds} />
          </Field>
        </div>
        {reach === "some" && (
          <div className={styles.scopes}>
            {scopeGroups(known).map((group) => (
              <fieldset key={group.about} className={styles.scopeGroup}>
                <legend>{words(group.about)}</legend>
                {group.scopes.map((scope) => (
                  <Checkbox
                    key={scope}
                    checked={chosen.includes(scope)}
                    onChange={(on) => toggle(scope, on)}
                    label={words(scope.split(":")[1] ?? scope)}
                  />
                ))}
              </fieldset>
            ))}
          </div>
        )}
        {Boolean(task.error) && <Problem error={task.error} />}
      </div>
    </Dialog>
  );
}
