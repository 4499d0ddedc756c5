/** Which calls an entry is about, as fields. An empty one matches everything. */

import { Plus, X } from "lucide-react";
import { useState } from "react";
import layout from "../../shared/layout.module.css";
import { Button, Checkbox, Field, IconButton, Input, Select, useFormSubmitted } from "../../ui";
import { useWorkflows } from "../../workflows/workflowApi";
import styles from "./Policy.module.css";
import {
  type ArgumentTest,
  EFFECTS,
  isNumeric,
  type PolicyEntry,
  splitNames,
  TESTS,
  testProblems,
} from "./policyEntry";
import { EFFECT_WORDS, TEST_WORDS } from "./policyWords";

interface FilterFieldsProps {
  entry: PolicyEntry;
  onChange: (change: Partial<PolicyEntry>) => void;
}

const NAMES = [
  { key: "tools", label: "Tools", placeholder: "send_*, mail", hint: "As the model sees them." },
  {
    key: "node_types",
    label: "Node types",
    placeholder: "n8n-nodes-base.gmail*",
    hint: "Of the node that supplies the tool.",
  },
  { key: "servers", label: "MCP servers", placeholder: "github", hint: "As mcp.json names them." },
  { key: "agents", label: "Agents", placeholder: "Support agent", hint: "Names of their nodes." },
] as const;

const FLAGS = [
  { value: "", label: "Either way" },
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

export function FilterFields({ entry, onChange }: FilterFieldsProps) {
  return (
    <fieldset className={styles.fieldset}>
      <legend>Which calls</legend>
      <p className={layout.faint}>
        All that you fill in must match. Separate several names by commas; * stands for any letters.
      </p>
      <div className={layout.columns}>
        {NAMES.map(({ key, label, placeholder, hint }) => (
          <Field key={key} label={label} hint={hint}>
            <NamesInput
              names={entry[key]}
              placeholder={placeholder}
              onChange={(names) => onChange({ [key]: names })}
            />
          </Field>
        ))}
      </div>
      <WorkflowField chosen={entry.workflows} onChange={(workflows) => onChange({ workflows })} />
      <div className={styles.boxes} role="group" aria-label="What the tool does">
        <span className={layout.quiet}>The tool</span>
        {EFFECTS.map((effect) => (
          <Checkbox
            key={effect}
            label={EFFECT_WORDS[effect]}
            checked={entry.effects.includes(effect)}
            onChange={(is) =>
              onChange({
                effects: EFFECTS.filter((one) =>
                  one === effect ? is : entry.effects.includes(one),
                ),
              })
            }
          />
        ))}
      </div>
      <div className={layout.columns}>
        <Field label="The run has read untrusted content" hint="A web page, mail or webhook.">
          <FlagSelect
            label="The run has read untrusted content"
            value={entry.untrusted}
            onChange={(untrusted) => onChange({ untrusted })}
          />
        </Field>
        <Field label="The run can reach private data">
          <FlagSelect
            label="The run can reach private data"
            value={entry.private}
            onChange={(isPrivate) => onChange({ private: isPrivate })}
          />
        </Field>
      </div>
      <ArgumentFields
        tests={entry.arguments}
        onChange={(tests) => onChange({ arguments: tests })}
      />
    </fieldset>
  );
}

interface NamesInputProps {
  names: readonly string[];
  placeholder: string;
  onChange: (names: string[]) => void;
}

/** Keeps what is typed, so that a comma can be typed before the next name. */
function NamesInput({ names, placeholder, onChange }: NamesInputProps) {
  const [typed, setTyped] = useState(names.join(", "));
  return (
    <Input
      value={typed}
      placeholder={placeholder}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(splitNames(event.target.value));
      }}
    />
  );
}

interface WorkflowFieldProps {
  chosen: readonly string[];
  onChange: (ids: string[]) => void;
}

function WorkflowField({ chosen, onChange }: WorkflowFieldProps) {
  const { data: rows = [] } = useWorkflows();
  const nameOf = (id: string) => rows.find((row) => row.id === id)?.name ?? id;
  return (
    <Field label="Workflows">
      <div className={layout.stack}>
        <Select
          label="Workflows"
          value={undefined}
          placeholder={chosen.length === 0 ? "Any workflow" : "Add a workflow"}
          options={rows
            .filter((row) => !chosen.includes(row.id))
            .map((row) => ({ value: row.id, label: row.name }))}
          onChange={(id) => onChange([...chosen, id])}
        />
        {chosen.length > 0 && (
          <span className={layout.chips}>
            {chosen.map((id) => (
              <span key={id} className={styles.picked}>
                {nameOf(id)}
                <IconButton
                  icon={X}
                  label={`Remove ${nameOf(id)}`}
                  size="small"
                  onClick={() => onChange(chosen.filter((one) => one !== id))}
                />
              </span>
            ))}
          </span>
        )}
      </div>
    </Field>
  );
}

interface FlagSelectProps {
  label: string;
  value: boolean | undefined;
  onChange: (value: boolean | undefined) => void;
}

function FlagSelect({ label, value, onChange }: FlagSelectProps) {
  return (
    <Select
      label={label}
      value={value === undefined ? "" : String(value)}
      options={FLAGS}
      onChange={(next) => onChange(next === "" ? undefined : next === "true")}
    />
  );
}

interface ArgumentFieldsProps {
  tests: readonly ArgumentTest[];
  onChange: (tests: ArgumentTest[]) => void;
}

function ArgumentFields({ tests, onChange }: ArgumentFieldsProps) {
  const isSubmitted = useFormSubmitted();
  const set = (at: number, change: Partial<ArgumentTest>) =>
    onChange(tests.map((test, place) => (place === at ? { ...test, ...change } : test)));
  return (
    <div className={layout.stack} role="group" aria-label="Arguments">
      {tests.map((test, at) => (
        <div key={at} className={styles.argument}>
          <Input
            aria-label="Argument"
            placeholder="amount"
            invalid={isSubmitted && testProblems(test).includes("path")}
            value={test.path}
            onChange={(event) => set(at, { path: event.target.value })}
          />
          <Select
            label="Test"
            value={test.test}
            options={TESTS.map((value) => ({ value, label: TEST_WORDS[value] }))}
            onChange={(next) => set(at, { test: next as ArgumentTest["test"] })}
          />
          <Input
            aria-label="Value"
            type={isNumeric(test.test) ? "number" : "text"}
            step="any"
            invalid={isSubmitted && testProblems(test).includes("value")}
            placeholder={isNumeric(test.test) ? "100" : "*@example.com"}
            value={test.value}
            onChange={(event) => set(at, { value: event.target.value })}
          />
          <IconButton
            icon={X}
            label="Remove argument"
            size="small"
            onClick={() => onChange(tests.filter((_, place) => place !== at))}
          />
        </div>
      ))}
      <div>
        <Button
          size="small"
          icon={Plus}
          onClick={() => onChange([...tests, { path: "", test: "above", value: "" }])}
        >
          Add argument
        </Button>
      </div>
    </div>
  );
}
