/** Makes an API key. */
import { useState } from "react";
import { type Me, useMe } from "../../api/session";
import { humanize } from "../../shared/humanize";
import layout from "../../shared/layout.module.css";
import { Checkbox, Field, FormDialog, Input, Select } from "../../ui";
import { createApiKey, expiryDate, type NewApiKey, readOnlyScopes, scopeGroups } from "./apiKeyApi";
import styles from "./Settings.module.css";

const EXPIRY_OPTIONS = [
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "0", label: "Never" },
];

const SCOPE_OPTIONS = [
  { value: "all", label: "All my permissions" },
  { value: "read", label: "Read only" },
  { value: "some", label: "Custom" },
];

export function NewApiKeyDialog({
  onClose,
  onDone,
}: {
  onClose: () => void;
  onDone: (key: NewApiKey) => void;
}) {
  const me = useMe();
  const known = (me.data as (Me & { scopes?: string[] }) | undefined)?.scopes ?? [];
  const [label, setLabel] = useState("");
  const [ends, setEnds] = useState("90");
  const [reach, setReach] = useState("read");
  const [chosen, setChosen] = useState<string[]>([]);
  const scopes = reach === "all" ? undefined : reach === "read" ? readOnlyScopes(known) : chosen;
  const toggle = (scope: string, on: boolean) =>
    setChosen(on ? [...chosen, scope] : chosen.filter((one) => one !== scope));
  const create = async () => {
    const expiresAt = expiryDate(Number(ends), new Date());
    onDone(await createApiKey({ label: label.trim(), scopes, expiresAt }));
  };
  return (
    <FormDialog
      title="New API key"
      action="Create key"
      disabled={label.trim() === "" || scopes?.length === 0}
      onSubmit={create}
      onClose={onClose}
    >
      <Field label="Name" hint="Describe what the key is used for.">
        <Input
          value={label}
          onChange={(event) => setLabel(event.target.value)}
          maxLength={50}
          placeholder="Backup script"
          autoFocus
        />
      </Field>
      <div className={layout.columns}>
        <Field label="Scopes">
          <Select label="Scopes" value={reach} options={SCOPE_OPTIONS} onChange={setReach} />
        </Field>
        <Field label="Expires">
          <Select label="Expires" value={ends} options={EXPIRY_OPTIONS} onChange={setEnds} />
        </Field>
      </div>
      {reach === "some" && (
        <div className={styles.scopes}>
          {scopeGroups(known).map((group) => (
            <fieldset key={group.about} className={styles.scopeGroup}>
              <legend>{humanize(group.about)}</legend>
              {group.scopes.map((scope) => (
                <Checkbox
                  key={scope}
                  checked={chosen.includes(scope)}
                  onChange={(on) => toggle(scope, on)}
                  label={humanize(scope.split(":")[1] ?? scope)}
                />
              ))}
            </fieldset>
          ))}
        </div>
      )}
    </FormDialog>
  );
}
